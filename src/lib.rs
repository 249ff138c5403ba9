//! Chatkeep: a backend for a conversational assistant over chat. Relays, small programs beside
//! a chat network, bring what people write and send what they are told. One executable, one
//! SQLite file.
//!
//! # The path of a request
//!
//! ```text
//! socket → http → routes → ingest, edge, marketplace, flags → store → one SQLite file
//!                              ↓
//!                            reply
//! ```
//!
//! A message, `POST /edge/message`:
//!
//! 1. `http::server` accepts the connection, hyper reads the head, `http::boundary` gives the
//!    request its id and, in the end, its one line of the log and its place in the numbers.
//! 2. `routes` finds the row of the table: method, path, who may call, body cap, handler. It
//!    lets the caller in (`auth`) before a byte of the body is read.
//! 3. `routes::ingest` reads the body into a typed message, naming every wrong field.
//! 4. `ingest` hands the store's writing thread one closure: is it a repetition, the sender's
//!    rate limit, a superpower it asks for (`ingest::powers`), access, what the text means
//!    (`reply`), whether to answer (`ingest::decide`), then rows for the message, the day's
//!    count, the answer and what follows from it.
//! 5. `store::writer` runs what is queued in one transaction and commits; only then does step 4
//!    return, and only then is anything in memory changed or anybody told.
//! 6. The answer goes back as 200. `http` watches whether it could be written; if not,
//!    `routes::retries` has it kept for the relay's retry.
//!
//! Where a language model answers, step 4 commits the message and that its reply is pending.
//! `ingest::replies` then has the model asked (`engine`), outside any transaction, and commits
//! what it said, and with it what it wants done for the person (`reply::tools`): as the answer
//! to the request, which waits, or, when that took too long, as a command.
//!
//! The other direction, a reminder: a job (`app::jobs`) runs `ingest::reminders`, which finds
//! what is due in the database and, in one transaction, removes it and gives `edge::queue` a
//! command; so does what superpowers say by themselves. After the commit `edge::hub` wakes the agent's socket (`edge::session`) or poll
//! (`edge::sync`), which send what `edge::outbox` says is due. The relay's ack becomes a row
//! first (`edge::acks`) and then lets the chat's next command go.
//!
//! A person's request, `GET /api/v1/usage/limits/{user_id}`: `account::identity` checks the token
//! (`auth::jwt`, with the keys that `account::identity::jwks` fetched beside all this), finds or
//! makes the user and remembers both until the token ends; the row's limit is counted; what is
//! to be told is looked up at once and shown.
//!
//! A call of a webhook, `POST /webhooks/{webhook_id}`, goes the way of a message: `marketplace`
//! finds the webhook in memory, checks the signature and reads of the payload what its action
//! needs; one transaction holds the command, the memory or the session and the call's record.
//!
//! Values of feature flags arrive beside all this: a job (`flags::poller`) asks the provider
//! and puts a snapshot in place. Whoever reads a flag looks into it and waits for nobody.
//!
//! # Layers
//!
//! Imports run downwards only. `app` and `routes` know each other: `app` serves the table of
//! `routes`, whose handlers reach everything through `App`.
//!
//! ```text
//! main, cli            commands: parse, call, print
//! app, app::jobs       picks the concrete parts, runs them, drains them
//! routes               the table; extract, one call into a domain, wrap
//! account              who signs in; what people and operators see; exports, erasure
//! billing              what is paid for, and what the payment provider says of it
//! ingest               what a message does; who may use what
//! marketplace          apps, and the webhooks that set them off
//! edge                 what relays are told: outbox, sockets, polls
//! memory               memories here and in an external service
//! media                photos that relays upload
//! engine               asks a language model
//! reply, auth, limits  rules that domains ask
//! store                rows and transactions
//! flags, model         tables of facts, plain types
//! http, outbound, mail the ends towards the network
//! config               what the operator set
//! metrics              numbers that every part keeps of itself
//! clock, random, error, files, setting
//!                      below everything
//! ```
//!
//! # What each part must not know
//!
//! | Part | Is the only one that | Must not know |
//! |---|---|---|
//! | [`cli`] | prints, reads standard input, exits | SQL, HTTP's types |
//! | [`app`] | chooses parts, owns their lives; its caller owns the listener and says stop | what a request means |
//! | [`routes`] | ties paths to domains | SQL |
//! | [`account`] | says whose a token is, grants subscriptions, writes files of exports, erases people | routes, SQL |
//! | [`billing`] | speaks to the payment provider | routes, SQL; it never speaks inside a transaction |
//! | [`ingest`] | decides about messages | hyper, statuses, sockets |
//! | [`marketplace`] | decides what a webhook's call does | hyper, SQL, relays' frames |
//! | [`edge`] | speaks the relay protocol | what a command is about, hyper |
//! | [`media`] | keeps files of photos | what a message is |
//! | [`memory`] | asks the memory service | who asks, what for |
//! | [`engine`] | speaks chat completions | messages, rooms, users |
//! | [`reply`] | understands and words text; says what a model is told | the store, the clock, the network |
//! | [`auth`] | checks credentials | which route wants whom |
//! | [`limits`] | counts in windows; `now` is an argument | who is counted, and why |
//! | [`flags`] | knows every flag with its default; asks the provider | who reads them |
//! | [`store`] | uses rusqlite and r2d2, holds SQL | what rows mean to the domains |
//! | [`model`] | holds rules that several parts share: bubbles, grants, payments, ids | I/O |
//! | [`http`] | uses hyper; gives an error its status | any route, any domain, any word of the product |
//! | [`outbound`] | uses ureq | whom it calls |
//! | [`mail`] | uses lettre | what it sends |
//! | [`config`] | reads files of settings and the environment, at the start and when told to | the database, the network |
//! | [`clock`], [`random`] | ask the system for time and randomness | anything |
//! | [`metrics`] | says how numbers are counted and shown | what they mean |
//! | [`setting`] | uses arc-swap: what is replaced while it is read | what is set |
//! | [`error`] | names what can go wrong | HTTP |
//! | [`files`] | makes private files and gives them their owner | what is in them |
//!
//! # What always holds
//!
//! - A 200 means committed. Message, count, answer and reminder of a request share a
//!   transaction; a crash leaves all of it or nothing.
//! - One thread writes. Concurrent requests share its commits; readers have connections of
//!   their own and never wait for it. One process holds a database: the lock beside it.
//! - A command is a row before it is a byte on a wire, and memory (`edge::hub`, the store's
//!   directory, flags) changes after the commit, on the writing thread, in commit order: it is
//!   a copy of what is kept, never ahead of it.
//! - No network call inside a transaction, no blocking call on an async thread.
//! - Rules are plain functions that take `now`; what applies them awaits the store.
//! - Background jobs take no input, find their work in the database and may be cut off
//!   anywhere.
//! - Every queue, body, cache, loop and retry has a bound, a constant with its unit in its name.
//! - What happened inside (SQL, paths, causes) goes to the log, never to a client.
//! - Async lives in `http`, `routes`, the sockets and polls of `edge`, `app`, and in what
//!   awaits the store, a model or the payment provider.
//!
//! `schema.sql` is the whole database; `service.toml` every setting; `examples/relay.rs` a
//! relay to copy; `README.md` tells operators and writers of relays the rest.

pub mod account;
pub mod app;
pub mod auth;
pub mod billing;
pub mod cli;
pub mod clock;
pub mod config;
pub mod edge;
pub mod engine;
pub mod error;
pub mod files;
pub mod flags;
pub mod http;
pub mod ingest;
pub mod limits;
pub mod mail;
pub mod marketplace;
pub mod media;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod outbound;
pub mod random;
pub mod reply;
pub mod routes;
pub mod setting;
pub mod store;
