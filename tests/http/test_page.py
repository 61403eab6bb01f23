"""The page in a real browser (Debian's Chromium), in front of a real server."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request, Route, expect, sync_playwright

from cosyvoice_wyoming.bundles import bundle_dir
from cosyvoice_wyoming.bundles.manifest import write_manifest
from cosyvoice_wyoming.bundles.sources import recipe
from tests.http.processes import start

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SCREENSHOTS = Path(__file__).parents[2] / "screenshots"
PATIENCE_MS = 30_000
TOKEN = "correct horse battery staple"  # noqa: S105 - of this test

expect.set_options(timeout=PATIENCE_MS)

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    yield from start(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from opened(browser, address)


def opened(browser: Browser, address: str, **context: object) -> Iterator[Page]:
    """Open the page in a fresh context; it must load nothing from elsewhere and log no error."""
    with browser.new_context(**({"locale": "en-GB"} | context)) as fresh:  # type: ignore[arg-type]
        page = fresh.new_page()
        page.set_default_timeout(PATIENCE_MS)
        foreign: list[str] = []
        errors: list[str] = []

        def note(request: Request) -> None:
            if not request.url.startswith((address, "blob:", "data:")):
                foreign.append(request.url)

        page.on("request", note)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        expect(page.locator("#health")).to_have_attribute("data-status", "ready")
        yield page
        assert foreign == []
        assert errors == []


def choose(page: Page, voice: str) -> None:
    expect(page.locator(f'#voice option[value="{voice}"]')).to_be_attached()
    page.select_option("#voice", voice)


def speak(page: Page) -> None:
    page.click("#speak")
    expect(page.locator("#download")).to_be_visible()


WORDS = {
    "zh_female_01": "客厅的灯已经打开了。",
    "en_male_01": "The light is on.",
    "ja_female_01": "照明をつけました。",
    "ko_male_01": "조명을 켰습니다.",
    "yue_female_01": "客廳嘅燈已經開咗喇。",
}


@pytest.mark.parametrize(("voice", "text"), WORDS.items(), ids=list(WORDS))
def test_each_language_is_heard_and_explained(page: Page, voice, text):
    choose(page, voice)
    page.fill("#text", text)
    speak(page)
    expect(page.locator("#first-audio")).to_contain_text("s")
    expect(page.locator("#read tr").first).to_contain_text(text)
    expect(page.locator("#read tr").first.locator("td").nth(2)).not_to_be_empty()


def test_the_sound_really_plays(page: Page):
    page.evaluate(
        """() => {
            const Context = window.AudioContext;
            window.AudioContext = class extends Context {
                constructor() { super(); window.heard = this; this.meter = this.createAnalyser(); }
                get destination() {
                    this.meter.connect(super.destination);
                    return this.meter;
                }
            };
        }"""
    )
    page.fill("#text", "This sentence is long enough to be heard for a while. " * 5)
    page.click("#speak")
    loud = """() => {
        if (!window.heard) return false;
        const wave = new Float32Array(window.heard.meter.fftSize);
        window.heard.meter.getFloatTimeDomainData(wave);
        return window.heard.currentTime > 0.3 && wave.some((x) => Math.abs(x) > 0.01);
    }"""
    page.wait_for_function(loud)
    expect(page.locator("#stop")).to_be_enabled()
    page.click("#stop")
    expect(page.locator("#stop")).to_be_disabled()


def test_playing_begins_while_the_speech_still_arrives(page: Page):
    page.fill("#text", "This sentence is spoken again and again. " * 200)
    page.click("#speak")
    expect(page.locator("#first-audio")).to_contain_text("s")
    assert float(page.inner_text("#first-audio").split()[0]) < 5
    page.click("#stop")


def test_what_was_heard_can_be_kept(page: Page, tmp_path):
    page.fill("#text", "Keep this.")
    speak(page)
    with page.expect_download() as download:
        page.click("#download")
    kept = tmp_path / "kept.wav"
    download.value.save_as(kept)
    content = kept.read_bytes()
    assert content[:4] == b"RIFF"
    assert int.from_bytes(content[40:44], "little") == len(content) - 44


def test_the_waveform_is_drawn(page: Page):
    empty = page.evaluate("document.getElementById('waveform').toDataURL()")
    page.fill("#text", "Draw this.")
    speak(page)
    page.wait_for_function(
        "empty => document.getElementById('waveform').toDataURL() !== empty", arg=empty
    )


def test_speed_changes_the_length(page: Page):
    def seconds(speed: str) -> float:
        page.fill("#text", "One two three four five.")
        page.fill("#speed", speed)
        page.click("#speak")
        expect(page.locator("#stop")).to_be_disabled()
        return float(page.inner_text("#length").split()[0])

    assert seconds("2") < seconds("0.5")


def test_an_error_is_shown_and_goes_away(page: Page):
    page.evaluate("document.getElementById('text').removeAttribute('maxlength')")
    page.evaluate("document.getElementById('text').value = 'a'.repeat(20001)")
    page.click("#speak")
    expect(page.locator("#error")).to_contain_text("over 20000 characters")
    page.fill("#text", "Short.")
    speak(page)
    expect(page.locator("#error")).to_be_hidden()


def test_an_experimental_voice_says_so(page: Page):
    choose(page, "yue_female_01")
    expect(page.locator("#experimental")).to_be_visible()
    choose(page, "zh_female_01")
    expect(page.locator("#experimental")).to_be_hidden()


def test_voices_stand_in_groups_of_their_language(page: Page):
    choose(page, "zh_female_01")
    groups = page.locator("#voice optgroup")
    assert [group.get_attribute("label") for group in groups.all()] == [
        *("Mandarin", "English", "Japanese", "Korean", "Cantonese")
    ]
    assert page.locator("#voice optgroup option").count() == 12


def test_models_show_their_licence_and_can_be_installed(page: Page):
    row = page.locator("#models li", has_text="lite").first
    expect(row).to_contain_text("Apache-2.0")
    expect(row.get_by_role("button")).to_have_text("Install")


def test_another_model_can_be_used(browser: Browser, tmp_path):
    known = dataclasses.replace(recipe("lite"), engine="tone")
    bundle = bundle_dir(tmp_path, "lite")
    bundle.mkdir(parents=True)
    (bundle / "note.txt").write_text("a bundle of the tone engine under another name")
    write_manifest(bundle, known)
    for address in start(tmp_path):
        for page in opened(browser, address):
            row = page.locator("#models li").filter(has=page.get_by_text("lite", exact=True))
            row.get_by_role("button", name="Use").click()
            expect(page.locator("#version")).to_contain_text("· lite")
            expect(page.locator("#health")).to_have_text("ready")
            expect(row).to_contain_text("in use")
            page.fill("#text", "Hello.")
            speak(page)


def test_kept_phrases_can_be_cleared(page: Page):
    page.fill("#text", "Keep this phrase.")
    speak(page)
    expect(page.locator("#phrases")).not_to_have_text("0.0 MB")
    with page.expect_response(lambda answer: answer.request.method == "DELETE") as cleared:
        page.click("#clear")
    assert cleared.value.status == 204
    expect(page.locator("#error")).to_be_hidden()


def test_an_installation_shows_how_far_it_is(page: Page):
    status = page.evaluate("fetch('api/status').then((answer) => answer.json())")
    running = {"model": "lite", "state": "running", "step": "Fetching", "done": 30, "total": 90}
    page.route(
        "**/api/status", lambda route: route.fulfill(json=status | {"installation": running})
    )
    expect(page.locator("#progress")).to_have_attribute("value", "30")
    expect(page.locator("#progress-label")).to_have_text("Installing lite: Fetching")


def test_a_server_that_is_away_is_told(page: Page):
    page.route("**/api/status", lambda route: route.abort())
    expect(page.locator("#health")).to_have_text("not reachable")


LOCALES = {
    "zh-CN": ("zh-Hans", "朗读"),
    "zh-TW": ("zh-Hant", "朗讀"),
    "zh-HK": ("zh-Hant", "朗讀"),
    "ja-JP": ("ja", "読み上げる"),
    "ko-KR": ("ko", "읽기"),
    "fr-FR": ("en", "Speak"),
}


@pytest.mark.parametrize("locale", LOCALES)
def test_the_page_follows_the_browsers_language(browser: Browser, address: str, locale):
    for page in opened(browser, address, locale=locale):
        language, speak_label = LOCALES[locale]
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("#speak")).to_have_text(speak_label)


def test_another_language_can_be_chosen_and_is_kept(page: Page):
    page.select_option("#interface", "ko")
    expect(page.locator("#speak")).to_have_text("읽기")
    page.reload()
    expect(page.locator("#speak")).to_have_text("읽기")


def test_every_language_has_every_message(page: Page):
    messages = page.evaluate("import('./static/messages.js').then((m) => m.MESSAGES)")
    assert len(messages) == 5
    for language, own in messages.items():
        assert own.keys() == messages["en"].keys(), language


def serious(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {v['help']}" for v in found if v["impact"] in {"serious", "critical"}]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_the_page_is_accessible_and_fits(browser: Browser, address: str, scheme, width):
    view = {"width": width, "height": 800}
    for page in opened(browser, address, color_scheme=scheme, viewport=view):
        page.fill("#text", "Hello there.")
        speak(page)
        expect(page.locator("#read tr").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == ("rgb(16, 23, 22)" if scheme == "dark" else "rgb(245, 247, 247)")
        page.screenshot(path=SCREENSHOTS / f"page-{scheme}-{width}.png", full_page=True)
        page.evaluate("document.activeElement.blur()")
        assert serious(page) == []


def test_everything_can_be_done_with_the_keyboard(page: Page):
    page.focus("#text")
    page.keyboard.press("Control+A")
    page.keyboard.type("Typed.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#download")).to_be_visible()
    reached = set()
    for _ in range(20):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    assert {"text", "voice", "speed", "speak", "interface"} <= reached | {"text"}


def test_the_description_of_the_interface_is_readable(browser: Browser, address: str):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address + "docs")
        expect(page.get_by_role("heading", name="POST /tts")).to_be_visible()
        assert serious(page) == []


def test_the_page_works_under_the_prefix_of_ingress(browser: Browser, address: str):
    prefix = "/api/hassio_ingress/AbC-123"
    with browser.new_context(extra_http_headers={"X-Ingress-Path": prefix}) as context:
        page = context.new_page()
        asked: list[str] = []

        def proxy(route: Route) -> None:
            asked.append(route.request.url)
            route.continue_(url=route.request.url.replace(prefix, ""))

        page.route(f"**{prefix}/**", proxy)
        page.goto(address.rstrip("/") + prefix + "/")
        expect(page.locator("#health")).to_have_attribute("data-status", "ready")
        page.fill("#text", "Hello.")
        speak(page)
        assert any(url.endswith(f"{prefix}/tts") for url in asked)


def test_a_server_with_a_token_asks_for_it(browser: Browser, tmp_path):
    for address in start(tmp_path, http_token=TOKEN):
        with browser.new_context(locale="en-GB") as context:
            page = context.new_page()
            page.goto(address)
            page.get_by_role("textbox", name="This server asks for its token").fill(TOKEN)
            page.get_by_role("button", name="OK").click()
            expect(page.locator("#health")).to_have_text("ready")
            page.fill("#text", "Hello.")
            speak(page)
