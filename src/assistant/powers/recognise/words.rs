//! Words by which a message is seen to be about no superpower, at little cost.

use crate::assistant::text::word_set::{HashedWord, WordSet};

/// Whether the word is one by which somebody may ask for a superpower.
pub(super) fn may_ask(word: HashedWord) -> bool {
    WORDS.contains(word)
}

/// Whatever asks for a superpower outside of a session has one of these in it. Sorted.
static WORDS: WordSet<1024> = WordSet::new(&[
    "add", "airbnb", "airport", "am", "answered", "appointment", "appointments", "arrange", "ask",
    "audition", "auto-renews", "autorenews", "available", "b-day", "bday", "beer", "beers", "bill",
    "bills", "birthday", "birthdays", "boarding", "book", "booked", "booking", "bookings", "born",
    "borrowed", "bought", "breakfast", "brief", "briefing", "brunch", "budget", "budgets",
    "burger", "bus", "busy", "buy", "calendar", "calendars", "call", "calls", "cancel",
    "cancelation", "canceled", "cancellation", "cancellations", "cancelled", "check", "check-in",
    "check-ins", "checkins", "checkup", "chronopost", "cinema", "climbed", "coffee", "colissimo",
    "completed", "correos", "costs", "create", "cycled", "danced", "date", "day", "days",
    "defence", "defense", "delayed", "delete", "deliveries", "delivery", "dentist", "dhl", "did",
    "dinner", "disturb", "divide", "divided", "dnd", "doctor", "doctors", "done", "dpd", "drinks",
    "email", "emails", "evening", "event", "events", "evri", "exam", "exams", "exchange",
    "exercised", "expense", "expenses", "expire", "expires", "fedex", "feel", "feeling", "felt",
    "ferry", "finished", "flat", "flight", "flights", "fly", "flying", "focus", "focusing", "food",
    "free", "fuel", "gas", "gate", "gave", "gls", "got", "groceries", "habit", "habits", "haircut",
    "hearing", "hermes", "hiked", "holiday", "hostel", "hotel", "im", "inbox", "inpost",
    "insurance", "interview", "itinerary", "jogged", "journaled", "keeping", "late", "leave",
    "lent", "licence", "license", "list", "lists", "loaned", "long", "look", "lunch", "mail",
    "mails", "marathon", "massage", "meditated", "meet", "meeting", "meetings", "membership",
    "memberships", "message", "messages", "mood", "moods", "move", "movie", "much", "mute", "need",
    "new", "old", "operation", "organise", "organize", "overbooked", "overdue", "owe", "owes",
    "pack", "package", "packages", "packed", "packing", "paid", "parcel", "parcels", "parking",
    "pass", "passport", "pay", "payed", "pays", "pencil", "petrol", "pharmacy", "pitch", "pizza",
    "plane", "platform", "postnl", "postnord", "postpone", "practiced", "practised", "prep",
    "preparation", "prepare", "presentation", "push", "put", "quits", "race", "ran", "ready",
    "rebook", "recital", "remove", "renew", "renewal", "renewals", "renewed", "renews", "rent",
    "repaid", "replace", "replied", "reply", "reschedule", "reservation", "reservations",
    "reserve", "reserved", "restaurant", "resume", "returned", "rode", "room", "rowed", "sandwich",
    "schedule", "seat", "see", "seeing", "send", "sending", "sent", "settle", "settled", "share",
    "shared", "shares", "shift", "shipment", "shopping", "sleeps", "snack", "snacks", "spend",
    "spending", "spent", "split", "squared", "station", "streak", "streaks", "stretched",
    "studied", "subs", "subscribed", "subscription", "subscriptions", "summaries", "summarise",
    "summarize", "summary", "supermarket", "surgery", "swam", "swap", "table", "takeaway", "takes",
    "talk", "task", "tasks", "taxi", "tea", "terminal", "test", "text", "these", "this", "those",
    "ticket", "tickets", "tnt", "to-do", "to-dos", "today", "todo", "todo-list", "todos", "track",
    "tracking", "train", "trained", "trains", "transferred", "travel", "travels", "trial",
    "trials", "trip", "trips", "turning", "turns", "uber", "unmute", "unsubscribe", "unsubscribed",
    "untrack", "ups", "urgent", "usps", "vacation", "venmoed", "viva", "waking", "walked",
    "wedding", "week", "weekend", "weeks", "went", "wired", "write", "written", "wrote",
    "yesterday", "yodel",
]);
