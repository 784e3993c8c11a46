export const minPasswordLength = 12;
export const maxPasswordLength = 200;

/** The rule as forms and documents say it. */
export const passwordRule = `At least ${minPasswordLength} characters, and neither the e-mail address nor a common password. A few words in a row are good.`;

const minDifferent = 5;

/** Whole, or with digits and signs around or for letters, these are among the first that anybody tries. */
const commonWords = new Set(
  `password passwort passw passphrase motdepasse contrasena administrator admin administrador superuser root
  qwerty qwertyuiop qwertyuiopasdf qwertyqwerty qwertzuiop azerty azertyuiop asdfghjkl asdfgh zxcvbnm
  qazwsxedc qazwsxedcrfv qweasdzxc letmein letmeinnow iloveyou iloveyousomuch welcome welcomehome changeme
  changemenow pleasechangeme default temporary secret topsecret supersecret mysecret trustno monkey dragon
  football baseball basketball superman batman spiderman starwars sunshine princess master shadow michael
  jennifer computer internet whatever correcthorsebatterystaple abcdefghijkl abcdefghijklm abcdefghijklmnop
  passwordpassword adminadmin adminpassword passwordadmin testtest testpassword testtesttest posthorn
  posthornposthorn posthornadmin adminposthorn loginlogin summer winter spring autumn`.split(/\s+/),
);

const lookalikes: Record<string, string> = {
  "@": "a",
  "4": "a",
  "0": "o",
  "1": "i",
  "3": "e",
  "5": "s",
  $: "s",
  "7": "t",
};

/**
 * What is wrong with a new password, as the end of a sentence that begins with its name; null when nothing is. Length is
 * what counts (NIST SP 800-63B, 3.1.1.2): no kinds of characters are asked for.
 */
export function passwordFault(password: string, { email }: { email: string }): string | null {
  const length = [...password].length;
  if (length < minPasswordLength) return `must have at least ${minPasswordLength} characters`;
  if (length > maxPasswordLength) return `must have at most ${maxPasswordLength} characters`;
  const lower = password.toLowerCase();
  const address = email.toLowerCase();
  const [name = ""] = address.split("@");
  if (lower === address || (name.length > 3 && lettersOf(lower) === lettersOf(name)))
    return "must not be the e-mail address";
  if (new Set(lower).size < minDifferent || isCommon(lower))
    return "is among the first that anybody would try; choose another";
  return null;
}

function isCommon(lower: string): boolean {
  if (isRun(lower)) return true;
  const letters = lettersOf(lower);
  const spelled = [...letters].map((sign) => lookalikes[sign] ?? sign).join("");
  return commonWords.has(letters) || commonWords.has(spelled);
}

/** Each character follows the one before it, or the whole repeats a short piece. */
function isRun(text: string): boolean {
  const steps = new Set([...text].slice(1).map((sign, place) => sign.charCodeAt(0) - text.charCodeAt(place)));
  if (steps.size === 1) return true;
  const period = (text + text).indexOf(text, 1);
  return period <= 4 || /^(?:1234567890?)+\d*$/.test(text);
}

function lettersOf(text: string): string {
  return text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
}
