// The page: ties the form, the player and what the server says of itself together.

import { Problem, get, post, send, setToken } from "./api.js";
import { LANGUAGES, SAMPLES, message, preferred } from "./messages.js";
import { Player } from "./player.js";
import { draw } from "./waveform.js";

const POLL_MS = 2000;
const LANGUAGE_KEY = "cosyvoice-wyoming.language";
const LANGUAGE_ORDER = ["zh", "en", "ja", "ko", "yue"];

const $ = (id) => document.getElementById(id);
const say = (key, values) => message(state.language, key, values);

const state = {
  language: "en",
  voices: [],
  models: [],
  status: null,
  player: null,
  context: null,
  abort: null,
  switching: "",
};

// Interface language

function chooseLanguage(language) {
  state.language = language;
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-message]")) {
    element.textContent = say(element.dataset.message);
  }
  $("waveform").setAttribute("aria-label", say("waveform"));
  showVoices();
  showModels();
  showStatus();
}

function setUpLanguages() {
  for (const [tag, name] of Object.entries(LANGUAGES)) $("interface").add(new Option(name, tag));
  const chosen = localStorage.getItem(LANGUAGE_KEY) ?? preferred(navigator.languages);
  $("interface").value = chosen;
  $("interface").addEventListener("change", () => {
    localStorage.setItem(LANGUAGE_KEY, $("interface").value);
    chooseLanguage($("interface").value);
  });
  chooseLanguage(chosen);
}

// Voices

const languageName = (language) => say(language === "en" ? "english" : language);

function showVoices() {
  const chosen = $("voice").value;
  $("voice").replaceChildren(new Option(say("auto"), ""));
  for (const language of LANGUAGE_ORDER) {
    const group = document.createElement("optgroup");
    group.label = languageName(language);
    for (const voice of state.voices.filter((v) => v.language === language)) {
      group.append(new Option(voice.description, voice.id));
    }
    if (group.children.length) $("voice").append(group);
  }
  $("voice").value = chosen;
}

const chosenVoice = () => state.voices.find((voice) => voice.id === $("voice").value);

function followVoice() {
  const voice = chosenVoice();
  $("experimental").hidden = !voice?.experimental;
  const isSample = Object.values(SAMPLES).includes($("text").value);
  if (isSample || !$("text").value) $("text").value = SAMPLES[voice?.language ?? ""];
}

// Speaking

async function speak() {
  stop();
  showError("");
  state.context ??= new AudioContext();
  await state.context.resume();
  const player = new Player(state.context);
  const abort = new AbortController();
  Object.assign(state, { player, abort });
  busy(true);
  const text = $("text").value;
  const voice = chosenVoice();
  const started = performance.now();
  $("first-audio").textContent = "…";
  try {
    const body = { text, speaker: voice?.id ?? "", speed: Number($("speed").value) };
    const response = await post("tts", body, { accept: "audio/wav", signal: abort.signal, ask: askToken });
    await player.play(response, () => {
      if (player.pieces.length === 1) showSeconds("first-audio", (performance.now() - started) / 1000);
      showSeconds("length", player.seconds);
    });
    offerDownload(player);
    explain(text, voice?.language ?? "");
    await player.heard();
  } catch (error) {
    if (error.name !== "AbortError") showError(error);
  }
  if (state.player === player) busy(false);
}

function stop() {
  state.abort?.abort();
  state.player?.stop();
  busy(false);
}

function busy(isBusy) {
  $("stop").disabled = !isBusy;
  $("speak").setAttribute("aria-busy", String(isBusy));
}

function offerDownload(player) {
  URL.revokeObjectURL($("download").href);
  $("download").href = URL.createObjectURL(player.file());
  $("download").hidden = false;
}

function animate() {
  const { player, context } = state;
  if (player?.length) {
    const left = Math.max(0, player.until - context.currentTime);
    draw($("waveform"), player.wave(), 1 - left / player.seconds);
  }
  setTimeout(() => requestAnimationFrame(animate), 100);
}

// How it is read

async function explain(text, language) {
  try {
    const rows = await (await post("api/explain", { text, language }, { ask: askToken })).json();
    $("read").replaceChildren(...rows.map(explainedRow));
  } catch (error) {
    $("read").replaceChildren();
    if (!(error instanceof Problem)) throw error;
  }
}

function explainedRow(segment) {
  const row = document.createElement("tr");
  const language = segment.language ? languageName(segment.language) : "";
  for (const text of [segment.text, language, segment.words, segment.phonemes]) {
    const cell = document.createElement("td");
    cell.textContent = text;
    row.append(cell);
  }
  if (segment.language) {
    row.children[0].lang = segment.language;
    row.children[2].lang = segment.language;
  }
  return row;
}

// Models

function showModels() {
  $("models").replaceChildren(...state.models.map(modelItem));
}

function modelItem(model) {
  const item = document.createElement("li");
  const about = document.createElement("div");
  about.className = "about";
  const name = document.createElement("strong");
  name.textContent = model.id;
  const description = document.createElement("p");
  const size = `${Math.round(model.size / 1e6)} MB`;
  description.textContent = [model.description, model.licence, size].join(" · ");
  about.append(name, description);
  item.append(about, modelAction(model));
  return item;
}

function modelAction(model) {
  if (model.in_use) {
    const mark = document.createElement("span");
    mark.textContent = say("inUse");
    return mark;
  }
  const button = document.createElement("button");
  const isThere = model.state === "whole";
  button.textContent = say(isThere ? "use" : "install");
  button.setAttribute("aria-label", `${button.textContent}: ${model.id}`);
  button.disabled = state.status?.installation?.state === "running";
  button.addEventListener("click", () => changeModel(model.id, isThere ? "use" : "install"));
  return button;
}

async function changeModel(name, action) {
  showError("");
  try {
    await post(`api/models/${encodeURIComponent(name)}/${action}`, {}, { ask: askToken });
    if (action === "use") state.switching = name;
    await poll();
  } catch (error) {
    showError(error);
  }
}

function showInstallation(installation) {
  $("installation").hidden = !installation || installation.state === "done";
  if (!installation) return;
  const key = installation.state === "failed" ? "installFailed" : "installing";
  $("progress-label").textContent = say(key, installation);
  $("progress").hidden = installation.state !== "running";
  if (installation.total) {
    $("progress").max = installation.total;
    $("progress").value = installation.done;
  } else {
    $("progress").removeAttribute("value");
  }
}

// What the server says of itself

async function poll() {
  try {
    const before = state.status;
    state.status = await get("api/status", askToken);
    if (isNews(before, state.status)) await load();
  } catch (error) {
    state.status = null;
    if (error instanceof Problem) showError(error);
  }
  showStatus();
}

/** Whether the voices or the models may be others than at the last look. */
function isNews(before, now) {
  const mark = (status) => [status?.model, status?.health.status, status?.installation?.state].join();
  return mark(before) !== mark(now);
}

async function load() {
  [state.voices, state.models] = await Promise.all([
    get("v1/audio/voices", askToken).then((body) => body.voices),
    get("v1/models", askToken).then((body) => body.data),
  ]);
  if (state.switching === state.status?.model) state.switching = "";
  showVoices();
  showModels();
  followVoice();
}

function showStatus() {
  const { status, switching } = state;
  const health = status ? status.health.status : "away";
  $("health").dataset.status = status ? health : "loading";
  $("health").textContent = switching ? say("switching", { model: switching }) : say(health);
  $("health").title = status?.health.reason ?? "";
  if (!status) return;
  $("text").maxLength = status.max_text_chars;
  $("rtf").textContent = status.answers ? status.last_rtf.toFixed(2) : "–";
  $("queue").textContent = String(status.requests);
  $("memory").textContent = `${Math.round(status.memory_bytes / 1e6)} MB`;
  $("phrases").textContent = `${(status.phrase_bytes / 1e6).toFixed(1)} MB`;
  $("version").textContent = `${status.version} · ${status.model}`;
  showInstallation(status.installation);
}

async function keepPolling() {
  if (!document.hidden) await poll();
  setTimeout(keepPolling, POLL_MS);
}

async function clearPhrases() {
  showError("");
  try {
    await send("api/phrases", { method: "DELETE" }, askToken);
    await poll();
  } catch (error) {
    showError(error);
  }
}

// Small things

function showSeconds(id, seconds) {
  $(id).textContent = `${seconds.toFixed(2)} s`;
}

function showError(error) {
  $("error").textContent = error ? error.message : "";
  $("error").hidden = !error;
}

let asking = null;

/** Ask for the token, once for all requests that miss it; resolves to whether one was given. */
function askToken() {
  asking ??= new Promise((resolve) => {
    $("token-dialog").addEventListener(
      "close",
      () => {
        asking = null;
        setToken($("token").value);
        resolve($("token").value !== "");
        $("token").value = "";
      },
      { once: true },
    );
    $("token-dialog").showModal();
  });
  return asking;
}

setUpLanguages();
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  speak();
});
$("stop").addEventListener("click", stop);
$("clear").addEventListener("click", clearPhrases);
$("voice").addEventListener("change", followVoice);
$("speed").addEventListener("input", () => {
  $("speed-value").textContent = Number($("speed").value).toFixed(1);
});
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("form").requestSubmit();
});
followVoice();
animate();
keepPolling();
