//! The texts in Portuguese.

use super::{CommandAnswers, Lang, LanguageTexts};

pub(super) const TEXTS: LanguageTexts = LanguageTexts {
    tag: "pt",
    detected: Lang::Por,
    frequent_words: "adiciona agora amanha amanhã ao aos as assim até bem boa bom certo claro com como da das de depois \
                     dia disso do dos e ela ele em entendi entendido então enviado era essa esse estou \
                     está eu feito fiz foi hoje horas há isso já lembra lembrar lembrarei lembre lembrete lhe ligar \
                     mais mas me mesmo meu minha muito na nada nao nas nem no nos nossa não o obrigada \
                     obrigado olá os ou para pela pelo perfeito pode por porque posso pronto quando que \
                     quem se sem ser seu sim sou sua são também te tem tenho tudo tá um uma vai vamos \
                     você vou à às é",
    date: "{weekday}, {day} de {month} de {year}",
    weekdays: "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    months: "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    reminder: "⏰ Lembrete: {}",
    late: "isto chega atrasado, era para: {}",
    missed: "desde o último era para {times} vezes, a última: {}",
    apology: "Desculpe, {} não encontra as palavras agora. Tente novamente daqui a pouco, por favor.",
    refused: "{} prefere não responder a isso. Há mais alguma coisa?",
    overloaded: "{} está falando com muita gente agora. Tente novamente em um minuto, por favor.",
    without_model: "(O modelo de linguagem não respondeu; isto é do assistente básico.)",
    cut_short: "(Era longo demais para este chat; este é o começo.)",
    called_elsewhere: "Antes disso eu já tinha chamado {}; o que foi feito lá continua feito.",
    nothing_done: "(Nada foi programado, anotado nem alterado para esta mensagem.)",
    not_done: "(Isto não foi feito: {}.)",
    not_all_done: "(Nem tudo isto foi feito.)",
    not_known: "(Não se sabe se isto foi feito; verifique lá, por favor.)",
    nothing_sent: "(Nada foi enviado para o teu próprio chat por esta mensagem.)",
    account_stays: "(A tua conta não foi eliminada. Pede-o a quem gere este serviço, ou inicia sessão e envia POST /account/deletion com a confirmação “DELETE MY ACCOUNT”; 30 dias depois tudo é apagado definitivamente.)",
    no_export: "(Nenhum dado foi exportado. Pede-os a quem gere este serviço, ou inicia sessão e envia POST /account/export.)",
    what_is_set: "(O que está programado: {}.)",
    what_was_done: "(O que foi feito: {}.)",
    times_in_utc: "(As horas estão em UTC: o teu fuso horário ainda não é conhecido.)",
    cancelled: "“{}”, cancelado",
    forgotten: "“{}”, esquecido",
    unseen_photos: "(Fotos desta mensagem que não foram vistas: {}.)",
    message_cut: "(A tua mensagem era longa demais para ler inteira; li o começo e o fim.)",
    english_only: "Sem um modelo de linguagem só entendo inglês, por isso não fiz nada. Por exemplo: “remind me at 15:00 to …”. Quem me administra pode conectar um modelo de linguagem.",
    answers: Some(CommandAnswers {
        named: "O seu nome é {}.",
        unnamed: "Ainda não sei o seu nome.",
        subscribed: "Tem uma assinatura.",
        plan: "Tem uma assinatura ({}).",
        free: "Não tem assinatura.",
        kept: "Isto é o que guardo: notas: {}, lembretes: {reminders}.",
        zone: "O seu fuso horário é {}.",
        no_zone: "Não sei o seu fuso horário, por isso as horas estão em UTC.",
        unlimited: "As suas mensagens são ilimitadas.",
        used: "Hoje foram usadas {} de {limit} mensagens; restam {left} até a meia-noite UTC.",
        nothing_to_undo: "Não há nada que eu possa desfazer. O que marquei, movi ou retirei pode ser desfeito durante 10 minutos.",
        undone_already: "Já desfiz a última alteração e não posso voltar mais atrás. Nada mudou.",
        too_late: "Isso foi há mais de 10 minutos, por isso já não posso desfazer. Nada mudou.",
        still_answering: "Ainda estou na sua última mensagem. Diga “undo” quando eu tiver respondido.",
        back_again: "Certo, desfiz isso. De volta:",
        cancelled: "Certo, estes lembretes foram cancelados:",
        forgotten: "Certo, esqueci isto: {}",
    }),
};
