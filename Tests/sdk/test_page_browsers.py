"""A browser serves one test after another, and must carry nothing over between them."""

from browser import Window, page_url

REMEMBER = """
localStorage.mark = sessionStorage.mark = "1";
document.cookie = "mark=1; max-age=600";
return new Promise(done => {
    const request = indexedDB.open("mark");
    request.onsuccess = () => { request.result.close(); done(true); };
});
"""
REMEMBERED = """
return (async () => ({
    local: localStorage.mark ?? null, session: sessionStorage.mark ?? null, cookie: document.cookie,
    databases: (await indexedDB.databases()).map(each => each.name), width: innerWidth, online: navigator.onLine,
    watched: typeof belfryTest,
}))();
"""


def test_a_returned_browser_keeps_no_state(server, driver):
    url = page_url(server)
    session = driver.take()
    window = Window(session, session("GET", "/window")).open(url)
    other = window.another().open(url)
    assert window.script(REMEMBER) and other.script(REMEMBER)
    window.size(400, 300)
    window.script("console.error('mark')")
    other.offline(True)
    driver.give_back(session)

    again = driver.take()
    assert again is session
    plain = Window(again, again("GET", "/window"), watched=False).open(url)
    assert len(again("GET", "/window/handles")) == 1
    assert plain.script(REMEMBERED) == {
        "local": None, "session": None, "cookie": "", "databases": [], "width": plain.script("return outerWidth"),
        "online": True, "watched": "undefined"}
    assert not [entry for entry in plain.log() if "mark" in entry["message"]]
    driver.give_back(again)


def test_a_crashed_browser_is_not_given_to_another_test(driver):
    session = driver.take()
    session.close()
    driver.give_back(session)
    assert driver.take() is not session
