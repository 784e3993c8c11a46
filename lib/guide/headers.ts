/** What each header of a webhook means to who gets it, by the name that it is sent under. */
export const headerMeanings: readonly { name: string; meaning: string }[] = [
  { name: "content-type", meaning: "Always application/json; the body is UTF-8." },
  { name: "user-agent", meaning: "Posthorn and its version." },
  { name: "webhook-id", meaning: "The event's id, the same in every attempt: keep it to know repeats." },
  { name: "webhook-timestamp", meaning: "When this attempt was signed, in seconds: refuse what is old." },
  {
    name: "webhook-signature",
    meaning: "v1, and the signature in base64, once for every secret that is valid, separated by spaces.",
  },
  { name: "posthorn-attempt", meaning: "Which attempt this is, from 1 on." },
];
