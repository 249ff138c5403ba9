//! What people say in other languages of somebody else who may want to die. In the notation of
//! `grammar`.

use super::InLanguage;

/// Said of somebody near.
pub(super) const OF_OTHERS: &[InLanguage] = &[
    (
        "de",
        &[
            "will sich umbringen|das_leben_nehmen|was_antun|etwas_antun",
            "hat sich umgebracht|erhangt|erschossen|das_leben_genommen",
            "freund|freundin|mutter|mama|vater|papa|bruder|schwester|sohn|tochter|mann|frau|kind|kollege|kollegin|er|sie will .. sterben|nicht_mehr_leben",
        ],
    ),
    (
        "es",
        &[
            "quiere|quieren morir|morirse|matarse|suicidarse|quitarse",
            "se quiere|quieren morir|matar|suicidar|quitar",
            "suicidarse",
        ],
    ),
    (
        "fr",
        &[
            "veut|veulent|va|vouloir .. mourir|se_tuer|se_suicider|en_finir",
            "sest|se suicide|suicider|pendu|pendue|tuee",
        ],
    ),
    (
        "it",
        &["vuole|vogliono .. morire|uccidersi|ammazzarsi|suicidarsi|farla_finita"],
    ),
    (
        "pt",
        &["quer|querem .. morrer|se_matar|suicidar|se_suicidar"],
    ),
    (
        "nl",
        &[
            "vriend|vriendin|moeder|mama|vader|papa|broer|zus|zoon|dochter|man|vrouw|hij|zij|ze wil|wilt .. dood|sterven|niet_meer_leven|zelfmoord_plegen",
        ],
    ),
    (
        "pl",
        &[
            "brat|siostra|mama|matka|ojciec|tata|syn|corka|maz|zona|przyjaciel|przyjaciolka|kolega|kolezanka|chlopak|dziewczyna|on|ona .. chce umrzec|sie_zabic|popelnic_samobojstwo|odebrac_sobie",
            "brat|siostra|mama|matka|ojciec|tata|syn|corka|maz|zona|przyjaciel|przyjaciolka|kolega|kolezanka|chlopak|dziewczyna|on|ona .. nie chce .. zyc",
        ],
    ),
    (
        "sv",
        &[
            "bror|syster|mamma|mor|pappa|far|son|dotter|man|fru|kompis|vän|pojkvän|flickvän|sambo|han|hon .. vill bara? dö|ta_livet|ta_sitt|begå_självmord",
            "bror|syster|mamma|mor|pappa|far|son|dotter|man|fru|kompis|vän|pojkvän|flickvän|sambo|han|hon .. vill inte .. leva",
        ],
    ),
];
