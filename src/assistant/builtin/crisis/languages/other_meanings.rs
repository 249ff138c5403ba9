//! What the words of a crisis mean elsewhere, in other languages than English. In the notation of
//! `grammar`: what shares a word with one of them is no crisis.

pub(in super::super) const OTHER_MEANINGS: &[&str] = &[
    // German
    "bring|bringe|bringt|brachte mich|uns um .. uhr|nach_hause|nachhause|zum|zur|ins",
    "sterben|gestorben|tot vor|fur lachen|hunger|scham|langeweile|neugier|aufregung|freude|hitze|mudigkeit|pizza|schokolade|kaffee|kuchen",
    "vor lachen|hunger|scham|langeweile|neugier|freude|hitze .. sterben|tot",
    "handy|laptop|akku|auto|computer|drucker|pflanze|pflanzen|witz|katze|hund .. will|muss .. sterben",
    "zum sterben schon|langweilig|suss|gut|komisch",
    "leben ohne|in|von kaffee|schokolade|internet|handy|wlan|berlin|hamburg|munchen|koln|wien|zurich|deutschland|dieser_stadt|dieser_wohnung|dieser_wg",
    "mich .. umbringen|umzubringen .. hausaufgaben|chef|chefin|mutter|prufung|hitze|muskelkater",
    // French
    "en_finir avec ce|cet|cette|ces|le|la|les|mon|ma|mes|un|une|des projet|projets|travail|boulot|devoirs|dossier|rapport|examens|examen|menage|demenagement|these|reunion|tache|taches|travaux|histoire|semaine|journee|corvee|factures|facture|impots|vaisselle|lessive|cours|contrat|abonnement|presentation",
    "mourir de rire|faim|honte|chaud|soif|froid|fatigue|sommeil|jalousie|curiosite",
    "mourir denvie|dennui|damour",
    "vivre a|en|dans paris|lyon|marseille|lille|toulouse|bordeaux|france|ville|banlieue|cet_appartement|cette_ville|cette_maison|la_campagne",
    "tuer le temps",
    // Spanish
    "morir|morirme|muero|matar|matarme|mato de risa|hambre|verguenza|sueno|calor|frio|pena|amor|ganas|aburrimiento|sed|envidia|curiosidad",
    "vivir|seguir mas? en|con madrid|barcelona|sevilla|valencia|bilbao|espana|mexico|bogota|lima|buenos_aires|santiago|la_ciudad|el_centro|este_piso|este_apartamento|este_barrio|esta_ciudad|esta_casa|un_piso|el_campo|mis_padres|mis_suegros|companeros",
    "seguir trabajando|estudiando|jugando|esperando|discutiendo|leyendo|hablando|cocinando",
    "matar|matarme|mato trabajando|estudiando|entrenando",
    "acabar con esto|todo antes_de_las|antes_del|a_tiempo|a_las|para_el|para_manana",
    "no puedo mas con el|la|los|las|este|esta|estos|estas|mi|mis calor|frio|deberes|examenes|trafico|ruido|tarea|tareas|trabajo|vecinos|dieta|gimnasio",
    // Portuguese
    "morrer|matar|morro|mato de rir|fome|vergonha|sono|calor|frio|sede|saudade|saudades|tedio|inveja|estudar|trabalhar|malhar|curiosidade",
    "viver|acordar mais? em|na|no|cedo lisboa|porto|brasil|portugal|cidade|sao_paulo|rio|neste_apartamento|nesta_cidade|amanha",
    // Italian
    "ammazzo|ammazzarmi|ammazzare|uccido|uccidermi di|dal|dalle lavoro|risate|fatica|palestra|studio|compiti|ridere",
    "morire di|dal|dalle fame|ridere|risate|sete|noia|caldo|freddo|sonno|vergogna|invidia|curiosita|voglia",
    "vivere piu? a|in milano|roma|torino|napoli|bologna|firenze|italia|citta|centro|campagna|questa_casa|questo_appartamento|questa_citta",
    // Dutch
    "dood|sterven|doodgaan .. van .. lachen|honger|schaamte|verveling|dorst|kou|warmte|nieuwsgierigheid",
    "me|mij|je|ons dood lachen|gelachen|geschrokken|schrikken|schamen|vervelen|ergeren|gewerkt",
    "langer|meer leven in|zonder amsterdam|rotterdam|utrecht|koffie|deze_stad|dit_huis",
    // Polish, Turkish and Russian
    "umrzec ze|z smiechu|glodu|nudow|wstydu|goraca|ciekawosci",
    "gulmekten|acliktan|sikintidan|meraktan|utanctan olmek|olecegim|oluyorum|oldum",
    "умереть|сдохнуть|умру со|от смеха|смеху|голода|скуки|стыда|жары|любопытства",
    // Swedish, Danish and Norwegian
    "katt|hund|kanin|hamster|telefon|mobil|dator|bil|växt|växten|blomma|blomman|batteri|batteriet|datorn|telefonen|mobilen|bilen .. vill dö",
    "vill|kunde|kommer dö av|för skratt|hunger|skam|tristess|nyfikenhet|glass|pizza",
    "vil|kunne|gerne dø af|av|for grin|latter|sult|kedsomhed|skam|nysgerrighed",
];
