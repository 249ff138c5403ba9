//! Events of CalDAV calendars that a person adds, moves and deletes in the chat: said back,
//! confirmed, done once, and told.

use crate::dav::DavServer;
use crate::support::{Service, direct, eventually, get, post};
use chatkeep::clock::{Clock, Timestamp};
use serde_json::{Value, json};

const PHONE: &str = "+15550101";
const DONE: &str = "Okay, I'm on it. I write as soon as your calendar has it.";

struct World {
    service: Service,
    server: DavServer,
    clock: Clock,
    token: String,
}

impl World {
    /// A person in Berlin, whose calendar has a dentist on Wednesday at 14:00.
    async fn open() -> Self {
        let clock = Clock::fixed(Timestamp::parse("2026-11-22T08:00:00Z").unwrap());
        let settings = [
            ("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true"),
            ("CHATKEEP_SERVICES_ALLOWED_HOSTS", "127.0.0.1"),
            ("CHATKEEP_ACCESS_CHARGE_NOBODY", "true"),
        ];
        let folder = tempfile::tempdir().unwrap();
        let service = Service::in_folder(folder, &settings, clock.clone()).await;
        let server = DavServer::start();
        server.put("dentist", "20261125T130000Z");
        let mut world = Self {
            service,
            server,
            clock,
            token: String::new(),
        };
        world.say("my time zone is Europe/Berlin").await;
        world.token = world.service.user_token(&world.service.user_id(PHONE));
        world
    }

    async fn connect(&self) -> Value {
        let body = json!({
            "kind": "caldav", "url": format!("http://{}", self.server.address),
            "username": "ada", "password": "quixotic",
        });
        let asked = post("/account/services", &body).bearer(&self.token);
        let answer = self.service.send(&asked).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    async fn say(&self, text: &str) -> String {
        // Each in a second of its own.
        self.clock.advance(1_000);
        let said = self.service.edge_message("a", &direct(PHONE, text)).await;
        assert_eq!(said.status, 200, "{}", said.text);
        said.json()["reply_text"].as_str().unwrap().to_owned()
    }

    fn told(&self) -> Vec<String> {
        let told = "SELECT payload ->> 'text' FROM commands ORDER BY seq";
        let rows = self.service.rows(told);
        rows.iter()
            .map(|row| row[0].as_str().unwrap().to_owned())
            .collect()
    }

    /// The next thing that is told, after `count` others.
    async fn told_after(&self, count: usize) -> String {
        eventually("the person is told", async || {
            self.clock.advance(1); // its job looks again
            self.told().len() > count
        })
        .await;
        assert_eq!(self.told().len(), count + 1, "{:?}", self.told());
        self.told()[count].clone()
    }

    fn events(&self) -> Vec<Vec<Value>> {
        self.service.rows(
            "SELECT facts ->> 'title', strftime('%d %H:%M', starts_at / 1000, 'unixepoch'), status
             FROM calendar_events ORDER BY starts_at, id",
        )
    }

    /// Waits until everything that is due was fetched.
    async fn in_step(&self) {
        let due = format!(
            "SELECT count(*) FROM connected_services WHERE next_sync_at <= {}",
            self.clock.now().0
        );
        let under_way = "SELECT count(*) FROM calendar_changes";
        eventually("nothing is due", async || {
            self.clock.advance(1);
            self.service.rows(&due) == [[0]] && self.service.rows(under_way) == [[0]]
        })
        .await;
        let etags = "SELECT count(*) FROM calendar_events WHERE etag IS NULL";
        eventually("the versions are known", async || {
            self.service.rows(etags) == [[0]]
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_added_moved_and_deleted_once_it_is_confirmed() {
    let world = World::open().await;
    let without = world
        .say("put lunch with Bo on tuesday at 1 in my calendar")
        .await;
    assert!(without.contains("connect my calendar"), "{without}");
    world.connect().await;
    let asked = world.say("put lunch with Bo on tuesday at 1").await;
    assert_eq!(
        asked,
        "Shall I put “lunch with Bo” into your calendar Work & more: Tuesday, 24 November, \
         13:00–14:00? Say yes, and I do."
    );
    assert_eq!(
        world.say("no").await,
        "Okay, I've left everything as it was."
    );
    assert!(world.say("yes").await != DONE);
    world.say("put lunch with Bo on tuesday at 1").await;
    assert!(world.server.changed().is_empty(), "before the yes");
    assert_eq!(world.say("yes").await, DONE);
    assert_eq!(
        world.told_after(0).await,
        "“lunch with Bo” is in your calendar Work & more now: Tuesday, 24 November, 13:00–14:00."
    );
    let texts = world.server.texts();
    let is_lunch = |(_, text): &&(String, String)| text.contains("lunch");
    let (path, text) = texts.iter().find(is_lunch).unwrap();
    let uid = text
        .split("UID:")
        .nth(1)
        .unwrap()
        .split("\r\n")
        .next()
        .unwrap();
    assert_eq!(*path, format!("/dav/ada/cal/work%20x/{uid}.ics"));
    assert!(
        text.contains(
            "DTSTART:20261124T120000Z\r\nDTEND:20261124T130000Z\r\nSUMMARY:lunch with Bo\r\n"
        ),
        "{text}"
    );
    assert_eq!(world.server.changed(), ["PUT"]);
    world.in_step().await;
    let lunch = |at: &str| vec![json!("lunch with Bo"), json!(at), json!("confirmed")];
    let dentist = vec![json!("dentist"), json!("25 13:00"), json!("confirmed")];
    assert_eq!(world.events(), [lunch("24 12:00"), dentist.clone()]);

    let asked = world.say("move it to 2").await;
    assert_eq!(
        asked,
        "Shall I move “lunch with Bo” from Tuesday, 24 November at 13:00 to Tuesday, \
         24 November, 14:00–15:00? Say yes, and I do."
    );
    world.say("yes").await;
    assert_eq!(
        world.told_after(1).await,
        "“lunch with Bo” is moved: it is on Tuesday, 24 November, 14:00–15:00 now (it was on \
         Tuesday, 24 November at 13:00)."
    );
    world.in_step().await;
    assert_eq!(world.events(), [lunch("24 13:00"), dentist.clone()]);

    let asked = world.say("delete lunch with Bo").await;
    assert!(
        asked.starts_with("Shall I delete “lunch with Bo” (Tuesday, 24 November at 14:00)"),
        "{asked}"
    );
    world.say("yes").await;
    assert_eq!(
        world.told_after(2).await,
        "“lunch with Bo” (Tuesday, 24 November at 14:00) is no longer in your calendar Work & more."
    );
    world.in_step().await;
    assert_eq!(world.events(), [dentist]);
    assert_eq!(world.server.changed(), ["PUT", "DELETE"]);
    assert_eq!(
        world.told().len(),
        3,
        "what one did oneself is no news: {:?}",
        world.told()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_a_series_is_moved_or_deleted_and_the_others_stay() {
    let world = World::open().await;
    world.server.put_with(
        "standup",
        "DTSTART;TZID=Europe/Berlin:20261116T100000\nDURATION:PT30M\nRRULE:FREQ=WEEKLY;COUNT=5",
    );
    world.connect().await;
    let standups = |starts: [&str; 4]| -> Vec<Vec<Value>> {
        let standup = |start: &str| vec![json!("standup"), json!(start), json!("confirmed")];
        starts.map(standup).to_vec()
    };
    let events = || -> Vec<Vec<Value>> {
        let mut events = world.events();
        events.retain(|event| event[0] == "standup" && event[1] != "16 09:00");
        events
    };
    let asked = world.say("move my standup to 2").await;
    assert_eq!(
        asked,
        "Shall I move “standup” from Monday, 23 November at 10:00 to Monday, 23 November, \
         14:00–14:30? It is one of a series, and the others stay; for all of them say “move the \
         whole series standup to 14:00”. Say yes, and I do."
    );
    // The server did it, but that is not known at first.
    world.server.inner.lock().unwrap().loses_answers = true;
    assert_eq!(world.say("yes").await, DONE);
    eventually("the server did it", async || {
        !world.server.inner.lock().unwrap().changed.is_empty()
    })
    .await;
    let put_off = "SELECT count(*) FROM calendar_changes WHERE attempts = 1 AND due_at <= ";
    let soon = format!("{put_off}{}", world.clock.now().plus_ms(60_000).0);
    eventually("it is tried again later", async || {
        world.service.rows(&soon) == [[1]]
    })
    .await;
    world.server.inner.lock().unwrap().loses_answers = false;
    world.clock.advance(30_000);
    let told = world.told_after(0).await;
    assert!(told.starts_with("“standup” is moved: it is on Monday, 23 November, 14:00–14:30"));
    assert_eq!(world.server.changed(), ["PUT"]);
    world.in_step().await;
    assert_eq!(
        events(),
        standups(["23 13:00", "30 09:00", "07 09:00", "14 09:00"])
    );
    // "it" is the one that was moved.
    let asked = world.say("move it to 4 pm").await;
    assert!(
        asked.contains("from Monday, 23 November at 14:00 to Monday, 23 November, 16:00–16:30?"),
        "{asked}"
    );
    world.say("yes").await;
    world.told_after(1).await;
    world.in_step().await;
    assert_eq!(
        events(),
        standups(["23 15:00", "30 09:00", "07 09:00", "14 09:00"])
    );

    let asked = world.say("delete the standup on 7 december").await;
    assert_eq!(
        asked,
        "Shall I delete “standup” (Monday, 7 December at 10:00) from your calendar Work & more? \
         It is one of a series, and the others stay; for all of them say “delete the whole \
         series standup”. Say yes, and I do."
    );
    world.say("yes").await;
    let told = world.told_after(2).await;
    assert!(
        told.contains("(Monday, 7 December at 10:00) is no longer"),
        "{told}"
    );
    world.in_step().await;
    assert_eq!(
        events()[..3],
        standups(["23 15:00", "30 09:00", "14 09:00", ""])[..3]
    );
    assert_eq!(events().len(), 3);
    let asked = world.say("move the whole series standup to friday").await;
    assert!(
        asked.starts_with("I move a series only to another time of the same days"),
        "{asked}"
    );
    let asked = world.say("move the whole series standup to 11").await;
    assert_eq!(
        asked,
        "Shall I move the whole series “standup” from 10:00 to 11:00, past ones too? One that was \
         moved by itself stays. Say yes, and I do."
    );
    world.say("yes").await;
    assert_eq!(
        world.told_after(3).await,
        "The whole series “standup” is at 11:00 now (it was at 10:00)."
    );
    let moved = standups(["16 10:00", "23 15:00", "30 10:00", "14 10:00"]);
    for _ in 0..2 {
        assert_eq!(events(), moved);
        world.in_step().await;
    }
    let asked = world.say("delete the whole series standup").await;
    assert_eq!(
        asked,
        "Shall I delete the whole series “standup” from your calendar Work & more? Say yes, and I do."
    );
    world.say("yes").await;
    assert_eq!(
        world.told_after(4).await,
        "The whole series “standup” is no longer in your calendar Work & more."
    );
    world.in_step().await;
    assert!(events().is_empty(), "{:?}", events());
    assert_eq!(world.server.changed(), ["PUT", "PUT", "PUT", "DELETE"]);
    assert_eq!(world.told().len(), 5, "{:?}", world.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_does_not_do_it_twice() {
    let world = World::open().await;
    world.connect().await;
    for (request, expected) in [
        ("put lunch with Bo on tuesday at 1", "PUT"),
        ("move my dentist to 3", "PUT"),
        ("cancel the dentist", "DELETE"),
    ] {
        let before = world.told().len();
        let asked = world.say(request).await;
        assert!(asked.starts_with("Shall I"), "{asked}");
        world.server.inner.lock().unwrap().loses_answers = true;
        world.say("yes").await;
        eventually("the server did it", async || {
            !world.server.inner.lock().unwrap().changed.is_empty()
        })
        .await;
        let put_off = "SELECT count(*) FROM calendar_changes WHERE attempts = 1 AND due_at <= ";
        let soon = format!("{put_off}{}", world.clock.now().plus_ms(60_000).0);
        eventually("it is tried again later", async || {
            world.service.rows(&soon) == [[1]]
        })
        .await;
        world.server.inner.lock().unwrap().loses_answers = false;
        world.clock.advance(30_000);
        let told = world.told_after(before).await;
        assert!(
            !told.contains("did not") && !told.contains("don't know"),
            "{told}"
        );
        assert_eq!(world.server.changed(), [expected], "{request}");
        world.in_step().await;
    }
    let texts = world.server.texts();
    assert_eq!(texts.len(), 1, "{texts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_changed_is_said() {
    let world = World::open().await;
    let service = world.connect().await;
    // Somebody else was faster.
    let asked = world.say("move my dentist to 3").await;
    assert!(asked.starts_with("Shall I move “dentist”"), "{asked}");
    world.server.put("dentist", "20261125T110000Z");
    world.say("yes").await;
    assert_eq!(
        world.told_after(0).await,
        "I did not move “dentist” in your calendar: it was changed elsewhere in the meantime."
    );
    // The server says no.
    world.server.inner.lock().unwrap().refuses_changes = Some(403);
    world
        .say("put tea on friday at 4 in my work calendar")
        .await;
    world.say("yes").await;
    assert_eq!(
        world.told_after(1).await,
        "I did not put “tea” into your calendar: its server does not allow it."
    );
    // It never answers as it should.
    world.server.inner.lock().unwrap().refuses_changes = Some(503);
    world.say("put tea on friday at 4").await;
    world.say("yes").await;
    // A try that runs is due again in ten minutes, one that was put off in at most 320 seconds:
    // the clock goes on only in between, as a try ends by the clock of its end.
    while world.told().len() == 2 {
        let now = world.clock.now();
        let put_off = format!(
            "SELECT count(*) FROM calendar_changes WHERE due_at > {} AND due_at <= {}",
            now.0,
            now.plus_ms(320_000).0
        );
        eventually("the try is over and put off", async || {
            world.service.rows(&put_off) == [[1]] || world.told().len() > 2
        })
        .await;
        world.clock.advance(330_000);
    }
    let told = world.told_after(2).await;
    assert!(told.contains("don't know whether that worked"), "{told}");
    assert!(world.server.changed().is_empty());
    // A calendar that can only be read, and one of a series.
    world.server.inner.lock().unwrap().refuses_changes = None;
    let said = world
        .say("put tea on friday at 4 in my garden calendar")
        .await;
    assert_eq!(said, "I see no calendar garden.");
    world.server.inner.lock().unwrap().is_read_only = true;
    world.server.put("other", "20261126T120000Z");
    let path = format!(
        "/account/services/{}/sync",
        service["service_id"].as_str().unwrap()
    );
    let sync = crate::support::request("POST", &path).bearer(&world.token);
    assert_eq!(world.service.send(&sync).await.status, 200);
    for request in ["put tea on friday at 4", "delete other", "move other to 5"] {
        let said = world.say(request).await;
        assert!(
            said.starts_with("I can only read your calendar"),
            "{request}: {said}"
        );
    }
    assert_eq!(world.service.send(&get("/health")).await.status, 200);
}
