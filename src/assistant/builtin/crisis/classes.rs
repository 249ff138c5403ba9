//! The classes of words that the patterns of a crisis name in capital letters: who, what they want,
//! what happens, with what.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::assistant::text::word_set::WordMap;

/// More pills at once are an emergency.
const PILLS_MAX: u32 = 5;

/// The name of a class, and its words. A word with an "s" at its end is of the same classes.
const CLASSES: [(&str, &str); 56] = [
    // Who
    ("I", "i we"),
    (
        "WHO",
        "he she they someone somebody who everyone hell shell",
    ),
    (
        "NEAR",
        "husband wife boyfriend girlfriend partner ex fiance fiancee dad daddy father papa stepdad \
         stepfather mom mommy mum mummy mother mama stepmom stepmother parents brother sister \
         sibling stepbrother twin uncle aunt auntie cousin grandma grandpa granny gran grandad nan \
         nana grandmother grandfather friend bestie bff roommate flatmate housemate neighbor \
         neighbour coworker colleague nephew niece man guy woman lady girl boy men stranger person \
         people patient classmate teacher coach burglar thug attacker client pastor landlord boss \
         driver manager caregiver priest cop babysitter ex-boyfriend ex-husband ex-wife stepsister",
    ),
    (
        "CHILD",
        "child kid son daughter baby toddler infant newborn kiddo grandson granddaughter children \
         kids year_old month_old little_one yo toddlers kiddos",
    ),
    (
        "ABUSER",
        "husband wife boyfriend girlfriend partner ex fiance dad father stepdad stepfather mom \
         mum mother stepmom stepmother parents brother stepbrother uncle him family roommate \
         cousin",
    ),
    (
        "MAN",
        "man men guy guys stranger burglar intruder robber someone somebody people thug he ex",
    ),
    (
        "SELF",
        "myself himself herself themselves themself ourselves",
    ),
    ("OTHERSELF", "himself herself themselves themself"),
    ("ME", "me us"),
    // What is thought of it
    (
        "WISH",
        "want wants wanted wanting wish wishes wishing hope hoping ready trying tried tries rather \
         deserve deserves prefer plan plans planning decided desire",
    ),
    (
        "WILL",
        "want wants wanting wish ready trying tried going will plan planning thinking considering \
         about might should have_to need decided tempted thought could",
    ),
    (
        "BE",
        "am is are was were be been being got get gets getting having has have had",
    ),
    ("FEEL", "feel feels feeling felt"),
    // Despair
    ("DIE", "die dead unalive dying died"),
    ("LIVE", "live living life exist existing existence alive"),
    (
        "KILL",
        "kill killing killed hang hanging hung shoot shooting drown drowning poison poisoning \
         harm harming harmed hurt hurting cut cutting unalive unaliving off offing neck rope yeet \
         stab stabbing slit electrocute suffocate strangle injure injuring ending end delete \
         starve",
    ),
    ("TIRED", "tired sick done exhausted fed_up weary finished"),
    (
        "TAKE",
        "do take handle bear stand cope face deal manage survive endure live keep continue go fight",
    ),
    (
        "MEANS",
        "pills knife razor blade noose rope gun pistol rifle shotgun belt scissors bottle tablets meds revolver",
    ),
    (
        "HEIGHT",
        "bridge roof rooftop ledge cliff overpass balcony building window tower garage",
    ),
    (
        "RAILS",
        "train trains traffic truck bus car rails tracks subway metro highway motorway",
    ),
    // What follows what is complete, as in "I can't take it anymore, please help"
    (
        "ON",
        "please help i and because right now today tonight already so everything all what sorry \
         it tomorrow soon anyway lately again forever ever since goodbye bye but every fr",
    ),
    // Violence
    (
        "HIT",
        "hit hits hitting beat beats beating punched punches punching slapped slaps slapping \
         strangled strangles strangling kicked kicks kicking choked chokes choking burned bit \
         stabbed shot shoved shoves smacked smacks attacked attacks attacking hurts hurt hurting \
         raped rapes raping molested molests threatens threatened threatening whipped grabbed \
         pushed pushes groped gropes assaulted assaults abuses abused abusing tortured tortures \
         belted headbutted",
    ),
    (
        "AFTERHIT",
        "again when if so every because badly until after and for_years for_no for_months for_hours \
         almost bloody now daily often a_lot hard black severely today tonight yesterday last \
         regularly at_home at_night at_school at_work in_public in_front while before \
         unconscious or since everyday please help repeatedly but i he she down against around \
         over regularly all_the most",
    ),
    (
        "VICTIM",
        "hit beaten attacked assaulted raped abused stalked followed threatened kidnapped abducted \
         mugged drugged roofied blackmailed groped molested robbed trafficked stabbed shot chased \
         harassed strangled tortured",
    ),
    (
        "ASSAULT",
        "punched punches punching slapped slaps slapping strangled strangles strangling choked chokes \
         choking kicked kicking raped rapes raping molested molests molesting groped gropes groping \
         stabbed stabs assaulted assaults abuses abused abusing tortures tortured whipped whips \
         scratched scratches bites headbutted headbutts smacked smacks spits kidnapped beating \
         attacks burns suffocates suffocated drugged",
    ),
    (
        "AFRAID",
        "afraid scared terrified frightened fear petrified",
    ),
    (
        "HOUSE",
        "house home flat apartment room kitchen basement garage bedroom building bathroom closet attic garden yard hallway hotel place",
    ),
    (
        "SLAY",
        "kill murder stab shoot strangle poison drown smother suffocate",
    ),
    (
        "HARM",
        "hurt harm injure hurting harming injuring kill killing murder murdering stab stabbing \
         strangle strangling smother smothering shake attack",
    ),
    // What follows who is meant, where it is meant
    (
        "SOON",
        "tonight now today tomorrow soon please help because i it before",
    ),
    (
        "WEAPON",
        "gun knife weapon pistol rifle machete axe firearm guns shotgun blade",
    ),
    // Illness
    ("BREATHE", "breathe breathing breath breathes"),
    (
        "ATTACK",
        "stroke heart_attack seizure cardiac_arrest aneurysm convulsion asthma_attack",
    ),
    (
        "PAIN",
        "pain pains hurt hurts hurting tight tightness pressure burning crushing stabbing ache aches squeezing",
    ),
    ("FACE", "face mouth smile lip tongue eye eyelid"),
    (
        "LIMB",
        "arm leg side hand body face tongue arms legs mouth half",
    ),
    (
        "NUMB",
        "numb drooping droopy drooped droops paralyzed paralysed hanging hangs sagging tingling limp sags crooked",
    ),
    (
        "AWAKE",
        "wake_up waking_up waking wake wakes conscious moving move moves",
    ),
    (
        "SWELL",
        "swelling swollen swells closing closed closes swelled swell tightening",
    ),
    ("BLOOD", "blood bleeding bleed bleeds"),
    // Poison
    (
        "ATE",
        "ate eaten eat eats eating drank drunk drink drinks drinking swallowed swallowing swallow swallows chewed chewing licked inhaled ingested bit sipped",
    ),
    (
        "TOOK",
        "took taken swallowed swallow swallowing ate eaten downed popped drank injected ingested",
    ),
    (
        "PILLS",
        "pill pills tablet tablets tylenol paracetamol acetaminophen xanax ibuprofen advil \
         antidepressants sleeping_pills aspirin painkillers valium ambien meds medication medicine \
         medications opioids oxy oxycodone fentanyl insulin sedatives zopiclone diazepam melatonin \
         benzos sertraline prozac zoloft lithium beta_blockers adderall ritalin codeine morphine \
         tramadol methadone benadryl heroin cocaine coke ketamine mdma ecstasy molly meth vyvanse \
         vicodin percocet seroquel quetiapine antihistamines warfarin metformin digoxin capsules \
         prescription",
    ),
    (
        "MANY",
        "all whole entire bunch handful many much lots bottle pack packet packets box boxes \
         blister strip strips every double triple overdose twenty thirty forty fifty sixty hundred lot \
         ten fifteen dozen dozens load loads ton tons plenty full rest overdosed",
    ),
    (
        "POISON",
        "bleach antifreeze detergent poison cleaner chlorine drano ammonia pesticide weedkiller \
         insecticide windex petrol gasoline kerosene turpentine disinfectant sanitizer \
         mothballs dishwasher_tablet dishwasher_tablets dishwasher_tabs dishwasher_pods cleaning_liquid \
         dishwasher_liquid dishwasher_pod tide_pod laundry_pod washing_liquid laundry_detergent \
         cleaning_stuff cleaning_product cleaning_products lighter_fluid lamp_oil paint_thinner \
         nail_polish cleaning_fluid drain_cleaner softener descaler fertilizer dish_soap \
         toilet_cleaner slug_pellets weed_killer rat_poison ant_poison bug_spray oven_cleaner \
         vape_liquid vape_juice vape_fluid e-liquid nicotine_liquid",
    ),
    (
        "FUN",
        "boredom laughter laughing embarrassment cringe shame cuteness hunger thirst heat curiosity \
         happiness joy jealousy excitement anticipation exhaustion awkwardness overeating",
    ),
    (
        "TREAT",
        "chocolate sugar candy cake cookies coffee netflix pizza tiktok memes cheese carbs sushi ice \
         tv christmas cuteness caffeine sun football love tacos garlic pasta vitamin vitamins \
         reality content sweets",
    ),
    (
        "FILM",
        "movie film book novel song series episode season show documentary podcast scene chapter \
         anime musical opera drama lyrics album trailer netflix manga comic story game play video",
    ),
    (
        "ACCIDENT",
        "shaving cooking chopping slicing peeling opening gardening running playing skiing climbing \
         falling lifting accidentally working_out",
    ),
    (
        "THINGS",
        "emails mails messages notifications reminders alarms calls meetings events subscriptions",
    ),
    (
        "GAME",
        "chess fifa cards poker tennis golf ping pool darts mario scrabble bowling monopoly uno catan \
         football basketball squash badminton checkers backgammon wordle trivia sudoku soccer \
         karaoke boxing quiz volleyball hockey tekken kart rummy arm sports",
    ),
    (
        "NEWS",
        "joke jokes news question questions bill offer deal truth idea ideas facts link text message \
         best your that info details invoice discount",
    ),
    (
        "DISTANCE",
        "many few more some of the in extra hundred two three five six several per my ran total seven eight nine",
    ),
    (
        "ALCOHOL",
        "alcohol vodka whiskey whisky wine beer drank drunk booze rum gin tequila",
    ),
    (
        "SICK",
        "sick throwing_up vomiting dizzy weird ill bad sleepy puking vomited worse unwell drowsy twitching convulsing blue confused",
    ),
];

/// Words that are in most messages, and words that are in many: patterns are rather looked for
/// because of others.
const IN_MOST: &str = "i we he she they my our his her the a an me us not no of to in on at it is am are was be \
    been have has had do will and but with for from this that all what how can remind add i'm";
const IN_MANY: &str = "get got so out up off over now take go keep going want wanted need about who everyone every \
    lot much many last again when if after yesterday today tonight please because right sorry find \
    made call phone day night time love there things anything does did would could should some any \
    you were one more down by myself think feel ever life home car family good work old kids \
    son said says say know something make way point end head mom mum dad run plan done move pack \
    half set see ran leave help stop left everything write three live like ends water put stand \
    tell ok okay fine sleep has have too be here people eat drink food bus train play start room \
    house wife husband friend die box list buy wake bed talk look back let us open girl boy man \
    turn full lots ten rest word words world walk free next first best door baby note letter message \
    messages video";

static FREQUENCIES: LazyLock<WordMap<usize>> = LazyLock::new(|| {
    let most = IN_MOST.split(' ').map(|word| (word, 40));
    let many = IN_MANY.split(' ').map(|word| (word, 8));
    WordMap::merged(most.chain(many), usize::max)
});

/// How often a word is in messages, by a rough guess.
pub(super) fn frequency(word: &str) -> usize {
    FREQUENCIES.get(word).unwrap_or(1)
}

static CLASSES_OF: LazyLock<WordMap<u64>> = LazyLock::new(|| {
    let each = CLASSES.iter().enumerate();
    let words = each.flat_map(|(at, (_, words))| words.split(' ').map(move |word| (word, 1 << at)));
    let words = words.filter(|(word, _)| !word.contains('_'));
    WordMap::merged(words, |one, other| one | other)
});

/// The second words of pairs, with their classes, by the first.
static PAIRS: LazyLock<WordMap<&'static [(&'static str, u64)]>> = LazyLock::new(|| {
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (at, (_, words)) in CLASSES.iter().enumerate() {
        for (first, second) in words.split(' ').filter_map(|word| word.split_once('_')) {
            all.entry(first).or_default().push((second, 1 << at));
        }
    }
    let pairs = all.into_iter();
    WordMap::merged(
        pairs.map(|(first, seconds)| (first, &*seconds.leak())),
        |one, _| one,
    )
});

/// A bit of a word, which few others have.
pub(super) fn sign_of(word: &str) -> u64 {
    let bytes = word.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return 0;
    };
    let middle = bytes[bytes.len() / 2];
    let sum = usize::from(*first) * 7 + usize::from(*last) * 3 + usize::from(middle) + bytes.len();
    1 << (sum % 64)
}

/// The bit of a class; none where there is no such class.
pub(super) fn bit(name: &str) -> u64 {
    let at = CLASSES.iter().position(|(known, _)| *known == name);
    debug_assert!(at.is_some(), "{name} is no class");
    at.map_or(0, |at| 1 << at)
}

/// The classes of a word in plain spelling.
pub(super) fn of(word: &str) -> u64 {
    if let Ok(count) = word.parse::<u32>() {
        return if count > PILLS_MAX { bit("MANY") } else { 0 };
    }
    let singular = || word.strip_suffix('s').and_then(|word| CLASSES_OF.get(word));
    CLASSES_OF.get(word).or_else(singular).unwrap_or(0)
}

pub(super) fn words_of(classes: u64) -> impl Iterator<Item = &'static str> {
    let all = CLASSES.iter().enumerate();
    let chosen = all.filter(move |(at, _)| classes & 1 << at != 0);
    chosen.flat_map(|(_, (_, words))| words.split(' '))
}

/// The classes of two words that mean one thing, as "heart attack".
pub(super) fn of_pair(first: &str, second: &str) -> u64 {
    let Some(pairs) = PAIRS.get(first) else {
        return 0; // most words
    };
    let is_second = |(word, _): &&(&str, u64)| *word == second;
    let found = pairs.iter().filter(is_second);
    found.fold(0, |all, (_, classes)| all | classes)
}
