"""The model's graphs, written node by node with the onnx helpers. Used only to build bundles."""
