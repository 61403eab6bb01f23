// Shows the server's OpenAPI description without a library from another host.

import { get } from "./api.js";

const element = (tag, text, ...children) => {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
};

function resolve(schema, api) {
  const name = schema?.$ref?.split("/").pop();
  return name ? api.components.schemas[name] : schema;
}

function typeOf(schema, api) {
  const whole = resolve(schema, api) ?? {};
  if (whole.anyOf) return whole.anyOf.map((part) => typeOf(part, api)).join(" | ");
  if (whole.type === "array") return `${typeOf(whole.items, api)}[]`;
  if (whole.enum) return whole.enum.map((value) => `"${value}"`).join(" | ");
  const range = whole.minimum === undefined ? "" : ` ${whole.minimum}–${whole.maximum}`;
  return `${whole.type ?? whole.title ?? "any"}${range}`;
}

function fields(schema, api) {
  const whole = resolve(schema, api);
  const needed = new Set(whole.required);
  const rows = Object.entries(whole.properties ?? {}).map(([name, field]) =>
    element(
      "tr",
      "",
      element("td", name + (needed.has(name) ? "" : "?")),
      element("td", typeOf(field, api)),
    ),
  );
  const head = element("tr", "", element("th", "Field"), element("th", "Type"));
  return element("table", "", element("thead", "", head), element("tbody", "", ...rows));
}

function route(path, method, described, api) {
  const section = element("section", "", element("h2", `${method.toUpperCase()} ${path}`));
  section.append(element("p", described.description ?? described.summary));
  const body = described.requestBody?.content["application/json"]?.schema;
  if (body) section.append(fields(body, api));
  const answers = Object.entries(described.responses).map(([status, answer]) =>
    element("li", `${status}: ${answer.description} ${Object.keys(answer.content ?? {}).join(", ")}`),
  );
  section.append(element("ul", "", ...answers));
  return section;
}

try {
  const api = await get("openapi.json");
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      document.getElementById("routes").append(route(path, method, described, api));
    }
  }
} catch (error) {
  document.getElementById("routes").append(element("p", error.message));
}
