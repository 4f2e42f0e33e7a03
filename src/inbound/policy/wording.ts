/**
 * Phrases of mail servers, grouped by meaning. The patterns match text in lower case without apostrophes, codes, addresses and
 * links, in which contractions are spelled out. They are broad, because every server has its own sentence for the same thing.
 * No pattern repeats a group without a bound, so hostile text takes no more time than any other.
 */

const MAILBOX =
  '(?:user|username|userid|mailbox|inbox|mail ?drop|recipient|rcpt|account|address|addressee|alias|person|member|subscriber|customer|login|local[- ]?part|destination|group)s?';
/** "Email" alone may be the message, so it counts as a mailbox only next to the words about it. */
const EMAIL = 'emails?(?: ids?)?(?: ?@)?(?: (?:is|was|has|does|has been))?';
const DOMAIN = '(?:domain|host|hostname|domain name|mx|site)s?';
const MAIL = '(?:e?mails?|messages?)';
/** Forms of "exist", with the usual misspellings. */
const EXIST = '(?:ex(?:ist|its?|sit|sist)s?|existed|existing)';
const UNKNOWN = `(?:unk[now]{2,4}|non-?exist[ea]nt|(?:can)?not (?:be )?(?:an? )?(?:known|recogni[sz]ed|listed|valid|registered|resolved|located|found|${EXIST})|invalid|unrecogni[sz]ed|not in |not our |not here|undefined)`;
/** Words that suffice next to an address. */
const MISSING = `(?:not found|unk[now]{2,4}|(?:does )?not ${EXIST}|non-?exist[ea]nt)`;
const CLOSED =
  '(?:inactive|disabled|deactivated|closed|discontinued|terminated|expired|obsolete|abandoned|not (?:been )?activ(?:e|ated)(?! yet))';

export const AWAY = /\bout of (?:the )?office|\bon vacation\b|\bauto-?reply\b/;

/** Must not be added as a bounce, which expires and can be lifted with other bounces. */
export const OPTED_OUT =
  /\baddress was suppressed due to (?:customer|system) policy\W{1,3}(?:spam|(?:list |link )?unsub)/;

export const LISTED =
  /\bamazon ses (?:did not send|has suppressed)\b|\bon (?:the|your|our|its|an?) (?:\w+ ){0,2}suppression list\b|\baddress was suppressed due to (?:customer|system) policy\b|\bnot delivering to previously bounced address\b/;

/** Exim, Postfix, qmail and sendmail say which command a reply answers. Before RCPT TO, it is about the sender. */
export const REPLY_TO_SENDER =
  /(?:\bafter (?:pipelined )?|\bin reply to |>>> )(?:mail from|helo|ehlo|auth)\b|\bbut (?:my name|sender) was rejected\b/;

export const FULL =
  /\bover ?(?:\w+ ){0,3}quota|\bmailbox exceeds|\bquota violation|\btoo much (?:mail )?data|\bquota (?:(?:is|was|has been) )?(?:exceeded|full)|(?<!rate ?limit )\bexceed\w* (?:\w+ ){0,7}(?:quota|storage|mailbox)|\b(?:mailbox|inbox|mail ?folder|mail ?drop|account|quota|disk|storage)s?(?: \w+){0,4} (?:full|exceeded|over (?:the |its )?(?:quota|limit)|overflow)|\binsufficient (?:\w+ )?(?:storage|disk|space)|\bnot enough (?:\w+ )?(?:storage|space|disk)|\bout of (?:storage|disk|space)|\bno (?:space left|free space)|\bfull (?:mailbox|inbox)|\bmailfull|\b(?:user|domain)?disk ?(?:space )?quota\b|\bstorage limit\b|\b(?:enough|sufficient) (?:\w+ ){0,2}space\b|\bspace has been used up\b|\btoo many (?:emails|mails|messages) (?:\w+ )?(?:in|on) (?:\w+ ){0,2}(?:mailbox|inbox|account|mail ?drop)|\b(?:llen[oa]|pien[ao]|pleine?|voll)\b|переполнен|已满|いっぱい/;

export const TOO_LARGE =
  /\btoo (?:large|big)\b|\b(?:message|mail|line|header|subject|body)(?: (?:is|was|length|lines?)){0,2} too long\b|\b(?:message|mail|size)(?: \w+){0,4} exceed(?:s|ed)?\b|\bmax(?:imum)? (?:\w+ ){0,3}size\b|\bexceeds? (?:\w+ ){0,6}size|\bsize limit|\bline length exceeded|\boversized?\b/;

export const TOO_MANY =
  /\btoo (?:many (?!hops)|much|fast|quickly|frequent)|\brate ?limit|\blimit exceeded|\bfrequency limited\b|\bharvest(?:ing|ers?)?\b(?!\.\w)|\bdictionary attack|\b(?:rate|ratio|number|percentage) of (?:\w+ )?(?:invalid|unknown|bad|non-?existent)\b|\b(?:recipients?|users?) ratio\b|\bthrottl|\bconcurren|\bexcessive|\bat a rate\b|\brate that\b|\bunusual rate|\breceiving mail\b|\bsending limit|\bconnection limit|\blimits? (?:for|on|to) how many\b|\b(?:hourly|daily) (?:\w+ ){0,3}(?:limit|quota)|\bmessages? from \S{1,60} (?:will be )?(?:temporarily|permanently) deferred\b/;

export const AUTHENTICATION =
  /\b(?:spf|dkim|dmarc|domainkeys|sender.?id|unauthenticated|authenticat(?:e|ed|ion)|authrequired|auth required)\b/;

export const SERVER_NAME =
  /\b(?:(?<!\bmx info: failed to get ips from )ptr|rdns|reverse[- ](?:dns|lookup|hostname|mapping|ip)|fcrdns|helo|ehlo|client host(?:name)? (?:rejected|name))\b|\b(?:dns|mx|a) (?:entry|records?) (?:for|of) (?:your|the (?:sender|sending|return))\b/;

/**
 * Does not match sendmail's notes about the recipient's domain, which are "Host unknown", or have dots between the recipient
 * and these words.
 */
export const UNKNOWN_HOST = /(?<!\.\.\. )\bunknown (?:client |sending |remote |connecting )?host(?:name)?\b/;

/** A server that replies has a domain of its own, so it means the sender's. */
export const NO_MX = /\bno mx records? for domain\b/;

export const RELAYING =
  /\brelay(?:ing)?(?: mail)?(?: access)?(?: is| was)?(?: to \S+)? (?:denied|not|prohibited|forbidden|refused|restricted)|\bunable to relay|\b(?:open|insecure|mail) (?:mail )?relay|\brcpthosts\b|\bdo(?:es)? not relay|\bnot allowed to relay|\btenantattribution\b/;

export const CONTENT =
  /\bspam|\bjunk\b|\bunsolicited\b|(?<!\b(?:anti|no|for|of|from)[- ](?:any |known |computer )?)\bvirus(?!(?:es)?[- ](?:free|scan|check|protect|filter|database))|\bmalware|\bphish|\bmalicious|\b(?:bad|forbidden|illegal|banned|objectionable|suspicious|unacceptable|prohibited) (?:content|attachment|file|word)|\bcontent (?:\w+ ){0,3}(?:rejected|denied|filter|restrict|block)|\b(?:message|mail|email|data|body) (?:\w+ ){0,3}(?:rejected|refused|blocked|filtered) (?:as|due|because|for)\b|\brejected[- ](?:due|for) |\brejecting (?:mail|message) content\b|\b(?:message|mail) filtered\b|\bexecutable attachment|\bbulk e?mail/;

export const BLOCKED =
  /\b(?:black|block|deny|reject|drop) ?-?list|\bdnsbl|\brbl\b|\bspamhaus|\bspamcop|\bsorbs\b|\breputation|\bbanned|(?<!not )\blisted (?:in|at|by|on)\b|\bip (?:address )?\S{0,45} ?(?:\w+ ){0,3}(?:blocked|rejected|denied|listed)|\b(?:blocked|refus\w+|reject\w*|den\w+) (?:\w+ ){0,4}(?:ip|host|server|network|country|mta|connection)\b|\b(?:invalid|your|sending|client) ip\b|\bblocked\b(?! due to inactivity)|\bbounce attack|\bask your postmaster for help\b|\brejected by (?:recipients|this user)\b|\brefuses? to (?:accept|receive)\b|\brecipient preferences\b|\b(?:dt|hl|mi|rp):[a-z]{3}\b|\b(?:lpn|ofr|ouk)\d{0,3} (?:506|513)\b/;

export const SENDER =
  /\bsenders? (?:\w+ )?(?:address|domain|verif|rejected|denied|blocked|refused|unknown|not|cannot|is|was|has|must|name|does|could|host)|\b(?:unrout\w+|invalid|unknown|bad|unverif\w+|blocked|reject\w+|refus\w+|illegal) (?:return |envelope |mail )?(?:sender|from|originator)|\bcallback|\bcallout|\bmail from(?:$| \W*(?:rejected|refused|denied|domain|address))|\b(?:from|reply):? (?:address|domain|header|field)|\bin (?:the |your )?from\b|\breply-to\b|(?<!\bto (?:the )?)\boriginator\b|\breturn[- ](?:address|path)|\breverse-path|\byour (?:email |mail |return |sender |sending |from |envelope |own )?(?:address|domain|account|host(?:name)?)\b|\bbackscatter|\bbad outbound|\binvalid dns\b|\bunresolvable rfc|\bsending domain\b|\bsenderfilterconfig\b|\bmail from \S{1,60} (?:refused|rejected|denied)\b/;

/** An existing group may also refuse mail. Google Groups uses the same note for both cases, in the language of the sender. */
export const GROUP =
  /\bgoogle groups\b|\bgroups\.google\.|\b(?:may|might) not exist\b|\bil se peut\b|peut-être|\bmöglicherweise nicht|\bpuede que\b|可能不存在/;

/** A refusal of mail from some senders, or of some mail: "does not accept mail from", "over", "larger than", and so on. */
export const SUCH_MAIL = new RegExp(
  `\\b(?:(?:can)?not|never|no longer|only|nt) (?:accept|receive|allow|take)(?:s|ed|ing)? (?:\\w+ ){0,3}?${MAIL}(?: messages)?\\W{1,3}(?!in reply)(?:above|after|as|before|because|bigger|by|coming|containing|due|during|exceeding|except|for|from|greater|if|in|larger|more|of|originating|outside|over|sent|since|that|through|to|unless|until|via|when|where|which|while|with|without)\\b`,
);

export const POLICY_RULE =
  /\bpolic(?:y|ies)\b|\badministrative(?:ly)?\b|\bprohibited|\b(?:is|are|was)? ?not (?:\w+ )?(?:permitted|permission|allowed|authori[sz]ed)|\bunauthori[sz]ed|\baccess (?:is )?(?:denin?ed|not)|\bno access|\bpermission|\bsecurity|\brestrict|\bwhitelist|\bmoderat|\bmembers?[- ]only|\bnon-?member|\bonly (?:\w+ )?members|\borganizational settings\b|\bnot accepted (?:for|from|because)|\btransaction failed|\bservice refus|\bforbidden/;

export const MESSAGE_FORMAT =
  /\b(?:invalid|illegal|bad|malformed|missing|wrong|broken|duplicate|improper) (?:\w+ ){0,2}(?:mime|headers?|message-?id|charset|encoding|boundary)\b|\b(?:subject|from|header|body|message|email|mail) contains? (?:an? )?(?:invalid|illegal)\b/;

export const ENCRYPTION = /\b(?:tls|ssl|certificate|starttls|encrypt\w*|dane|mta-sts)\b/;

export const LOOP = /\bloop|\btoo many hops|\bhop count|\bmaximum hop/;

export const MOMENTARY =
  /\bgr[ea]y-?list|\btry (?:\w+ ){0,2}later\b|\btemporar(?:y|i?ly)\b|\bnot found,? try again|\bat (?:this time|the moment|present)\b|\bright now\b|\bservfail|\bunable to get mx info\b|\bunverified address\b|\bverification (?:failed|timed|in progress)/;

export const NOT_IN_DIRECTORY = /\brecipient address rejected:? access denied/;

/** The clause ends after "mail", apart from "at all" or "anymore": with a condition it is about some mail. */
export const NO_MAIL = new RegExp(
  `\\bnull ?mx|\\bindicated no smtp service|\\b(?:(?:does|will) not|never|no longer) (?:accept|receive)s? (?:any |incoming |inbound )?${MAIL}(?: messages)?(?= at all\\b| any ?(?:more|longer)\\b| ?(?:[^\\w\\s]|$))`,
);

export const MOVED =
  /\b(?:has|have) (?:been )?moved|\bmoved to\b|\bno forwarding address|\bno longer (?:works?|employed|at this|with (?:us|the))/;

export const NO_MAILBOX = new RegExp(
  [
    `\\bno such (?:\\w+ ){0,3}(?:${MAILBOX}|email)|\\bno such (?:user |login |mail )?id\\b`,
    `\\bnosuchuser|\\b(?:recipient|recip)notfound|\\badr\\.\\w{0,40}notfound|\\buser-?unknown`,
    `\\b(?:unk[now]{2,4}|invalid|non-?exist[ea]nt|inexistent|illegal|undefined|unrecogni[sz]ed|unregistered|bad|incorrect|wrong) (?:(?:\\w+ ){0,3}${MAILBOX}|(?:recipient |user |destination |to )?emails?(?= ?(?:[^\\w\\s]|$)| (?:ids?|here|for|in|at|on|or|is|was)\\b))\\b(?! database)`,
    `\\b${MAILBOX}\\b(?:(?! (?:ldap|database|file) | sending (?!to )|(?<!\\b(?:this|our|on the)) server )[^.;]){0,60}? ${UNKNOWN}`,
    `(?<!\\byour )\\b(?:${EMAIL}|email you(?: (?!(?:send|sent|sending|submitted|deliver)\\b(?! to\\b))\\w+){1,6}) ${UNKNOWN}(?! as\\b| in\\b(?! (?:our|the|this) (?:\\w+ )?(?:system|server|database|directory|records)\\b))`,
    `\\bno (?:valid |such )?(?:mailbox|recipients?|account|person|user|one)\\b(?! from\\b)|\\bnobody (?:here )?by that name`,
    `\\bdo(?:es)? not have (?:an? |any )?(?:\\S+ ){0,3}(?:account|mailbox|email)|\\bnot have (?:an? )?(?:account|mailbox)`,
    `(?<!\\byou are )\\bnot an? (?:valid |known |local |active )?(?:user|mailbox|recipient|customer|subscriber|address)`,
    `\\bunrout(?:e?)able (?:email |mail )?address|\\bnot local\\b|\\bunknown (?:in|to) \\w`,
    `@ ?[:;,] ?(?:is |was )?${MISSING}|\\b${MISSING} ?[:;,] ?@`,
    `\\bnot (?:\\w+ )?(?:listed|found|present) in (?:\\w+ ){0,4}(?:directory|address book|table|database)|\\bmailbox not present\\b`,
  ].join('|'),
);

/** The same in other languages, whose servers often add nothing in English. */
export const NO_MAILBOX_ABROAD =
  /unbekannt|existiert nicht|nicht gefunden|\binconnue?\b|destinataire\w* invalide|nexiste pas|introuvable|desconocid[oa]|no existe|desconhecid[oa]|n[aã]o existe|sconosciut[oa]|inesistente|non esiste|onbekend|bestaat niet|nie istnieje|не существует|не найден|неизвест|存在しま|見つかりません|リストにありません|不存在|존재하지/;

export const CLOSED_MAILBOX = new RegExp(
  [
    `\\b${MAILBOX}\\b(?: \\w+){0,6} (?:no longer|(?:has|have) been (?:deleted|removed|cancelled|${CLOSED})|${CLOSED})\\b`,
    `\\b${CLOSED} (?:\\w+ )?${MAILBOX}\\b`,
    `(?<!\\byour )\\b${EMAIL} (?:no longer(?! (?:accepted|allowed|permitted|supported)\\b)|(?!expired)${CLOSED})\\b`,
    '\\barchived recipient\\b',
    `\\b${MAILBOX}\\b(?: \\w+){0,6} blocked due to inactivity\\b`,
    `\\bextended inactivity (?:\\w+ ){0,10}${MAILBOX}\\b`,
  ].join('|'),
);

export const CLOSED_MAILBOX_ABROAD =
  /\b(?:cuenta|casilla|buz[oó]n|conta|caixa)(?: \S+){0,6} (?:expirad[oa]|cancelad[oa]|desactivad[oa]|desativad[oa]|cerrad[oa]|inactiv[oa]|inativ[oa]|eliminad[oa])\b|\b(?:compte|bo[iî]te)(?: \S+){0,6} (?:désactivée?|fermée?|supprimée?|clôturée?)(?!\p{L})|\b(?:konto|postfach)(?: \S+){0,6} (?:deaktiviert|gelöscht|geschlossen|gesperrt)\b|\b(?:account|casella)(?: \S+){0,6} (?:disattivat[oa]|disabilitat[oa]|chius[oa]|scadut[oa])\b/u;

export const NO_DOMAIN = new RegExp(
  [
    `\\b(?:unknown|no such|bad|invalid|nonexistent|illegal) (?:\\w+ )?${DOMAIN}\\b`,
    `\\b${DOMAIN} (?:\\S+ ){0,4}${UNKNOWN}`,
    `\\bnxdomain|\\bhas no (?:mx|mail exchanger?)|\\bname or service not known|\\bcould not find (?:any host|a mail exchanger)`,
    `\\bunrout(?:e?)able (?:mail )?domain`,
    `\\bno (?:mx|mail exchanger?|dns)s? (?:or a )?(?:records?|entry|found|for|hosts?)|\\bunable to find (?:an? )?(?:mx|host)`,
  ].join('|'),
);

export const REFUSED_MAILBOX =
  /\bmailbox (?:is )?(?:currently )?(?:un|not )available|\bmailbox name not allowed|\b(?:recipient|address) (?:address )?(?:was |has been |is )?(?:rejected|refused|not accepted)\b/;

export const NOT_ACCEPTING = /\bsystem not accepting/;

export const UNREACHABLE =
  /\btime(?:d )?-?out|\bconnection\b|\be?smtp service not available|\bunreachable|\bno route|\bunable to (?:connect|contact|look ?up)|\bconnect (?:failed|to)|\b(?:could|can) ?not (?:connect|contact|reach)|\bnetwork|\bsocket|\blookup (?:failure|failed|error|timed)|\bname ?server|\bdns (?:error|failure|timeout)/;

export const OUT_OF_TIME =
  /\bqueued? (?:\w+ )?too long|\btoo long in (?:\w+ )?queue|\bexpired\b|\bretry time|\bdelivery time|\bgiv(?:ing|en) up|\bgave up|\bdeferred|\bundelivered for|\btry again/;

export const SUSPENDED = /\b(?:suspended|suspend the service|locked|frozen|on hold)\b/;

export const SYSTEM_FAILED =
  /\b(?:internal|local|configuration|config) (?:server )?error\b|\bmisconfigured\b|\bmail system full\b/;

/** Postfix's words for any failed probe. A reason next to them takes precedence. */
export const NOT_VERIFIED =
  /\bundeliverable (?:email |recipient )?address|\b(?:recipient|addressee|user|mailbox|address)(?: \w+){0,3} (?:cannot|could not) be verified\b/;
