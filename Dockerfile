# The image of the Home Assistant app; it runs without the Supervisor as well (see DOCS.md).
# tools/try_image.py applies these steps to a Debian tree on machines without Docker.
ARG BUILD_ARCH=amd64

FROM debian:trixie-slim AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        binutils ca-certificates npm python3 python3-venv
WORKDIR /src
COPY requirements.lock ./
RUN python3 -m venv /opt/cosyvoice-wyoming \
    && /opt/cosyvoice-wyoming/bin/pip install --no-cache-dir --no-deps --require-hashes \
        --only-binary :all: --requirement requirements.lock
COPY . .
RUN /opt/cosyvoice-wyoming/bin/pip install --no-cache-dir --no-deps --no-build-isolation --no-index . \
    && /opt/cosyvoice-wyoming/bin/cosyvoice-wyoming models fetch lite --data-dir /usr/share/cosyvoice-wyoming \
    && rm -rf /usr/share/cosyvoice-wyoming/downloads
# What built it is of no use any more; pip itself stays, since a model's sources may be packages.
# Libraries bring tests, debugging symbols, tools for training, their code a second time for C
# programs, a voice of their own. What was distilled is in the package and in the bundle: once
# is enough.
WORKDIR /opt/cosyvoice-wyoming/lib/python3.13/site-packages
RUN /opt/cosyvoice-wyoming/bin/pip uninstall --yes --quiet editables hatchling trove-classifiers \
    && find . -type d -name tests -prune -exec rm -rf {} + \
    && find . -type f \( -name '*.pyi' -o -name '*.h' -o -name '*.cc' -o -name '*.pxd' \) -delete \
    && strip --strip-unneeded pyopenjtalk/*.so \
    && rm -rf onnx/backend/test onnxruntime/transformers onnxruntime/tools onnxruntime/quantization \
        onnxruntime/capi/libonnxruntime.so.* hibari/assets/hibari.onnx \
    && find pip -type d -name __pycache__ -prune -exec rm -rf {} + \
    && ln -sf "$PWD/cosyvoice_wyoming/_models/lite-decoder/decoder.onnx" \
        /usr/share/cosyvoice-wyoming/models/lite/student.onnx \
    && ln -sf "$PWD/cosyvoice_wyoming/_models/lite-context/context.onnx" \
        /usr/share/cosyvoice-wyoming/models/lite/context.onnx

FROM ghcr.io/home-assistant/${BUILD_ARCH}-base-debian:trixie
ARG BUILD_ARCH=amd64
ARG BUILD_VERSION=0.1.0
LABEL io.hass.type="app" \
    io.hass.arch="${BUILD_ARCH}" \
    io.hass.version="${BUILD_VERSION}" \
    io.hass.name="CosyVoice Wyoming" \
    io.hass.description="Speaks Mandarin, English, Japanese, Korean and Cantonese on your own machine" \
    org.opencontainers.image.title="cosyvoice-wyoming" \
    org.opencontainers.image.description="Text-to-speech for Home Assistant in five languages" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="${BUILD_VERSION}"
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --no-create-home --shell /usr/sbin/nologin cosyvoice
COPY --from=build /opt/cosyvoice-wyoming /opt/cosyvoice-wyoming
COPY --from=build /usr/share/cosyvoice-wyoming /usr/share/cosyvoice-wyoming
COPY addon/rootfs /
RUN ln -s /opt/cosyvoice-wyoming/bin/cosyvoice-wyoming /usr/local/bin/cosyvoice-wyoming
EXPOSE 10200
# A busy server answers within 50 ms, so one that takes 10 s hangs.
HEALTHCHECK --start-period=60s --interval=60s --timeout=10s --retries=3 \
    CMD ["cosyvoice-wyoming", "health", "--uri", "tcp://127.0.0.1:10200"]
