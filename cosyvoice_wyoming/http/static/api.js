// Requests to the server that this page came from. Addresses are relative, so that they hold under
// any prefix that a proxy puts before them.

const KEY = "cosyvoice-wyoming.token";

/** What a server's problem says, or that there is no server. */
export class Problem extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Keep the token for this tab. */
export function setToken(token) {
  sessionStorage.setItem(KEY, token);
}

/** Send a request; `ask` resolves when the user has typed the token that a 401 asks for. */
export async function send(path, options = {}, ask = undefined) {
  const headers = { ...options.headers };
  const token = sessionStorage.getItem(KEY);
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(path, { ...options, headers });
  if (response.ok) return response;
  if (response.status === 401 && ask && (await ask())) return send(path, options, ask);
  const detail = await response.json().then((body) => body.detail, () => response.statusText);
  throw new Problem(detail, response.status);
}

/** Send JSON and return the response. */
export function post(path, body, { accept = "application/json", signal, ask } = {}) {
  const headers = { "Content-Type": "application/json", Accept: accept };
  return send(path, { method: "POST", headers, body: JSON.stringify(body), signal }, ask);
}

/** Return the JSON at a path. */
export async function get(path, ask) {
  return (await send(path, {}, ask)).json();
}
