/** Every kind of problem that the API answers with: its stable code, its HTTP status and its title. */
const problemKinds = {
  malformed_json: { status: 400, title: "The body is not valid JSON" },
  incomplete_body: { status: 400, title: "The body did not arrive completely" },
  invalid_utf8: { status: 400, title: "The body is not valid UTF-8" },
  unauthorized: { status: 401, title: "You must say who you are" },
  wrong_credentials: { status: 401, title: "You could not be signed in" },
  forbidden: { status: 403, title: "This is not allowed" },
  foreign_host: { status: 403, title: "This host name is not served" },
  foreign_origin: { status: 403, title: "Requests from other sites are refused" },
  not_found: { status: 404, title: "Not found" },
  already_exists: { status: 409, title: "It exists already" },
  id_reused: { status: 409, title: "This id was used with other content" },
  in_use: { status: 409, title: "It is still in use" },
  field_in_use: { status: 409, title: "Endpoints still use the field" },
  wrong_status: { status: 409, title: "The endpoint's status does not allow this" },
  wrong_breaker_state: { status: 409, title: "The breaker's state does not allow this" },
  too_many_secrets: { status: 409, title: "No more secrets can be valid at once" },
  current_secret: { status: 409, title: "It is the current secret" },
  in_flight: { status: 409, title: "The delivery is being sent right now" },
  already_waiting: { status: 409, title: "The delivery waits to be sent already" },
  skipped: { status: 409, title: "It was never to be sent" },
  cannot_render: { status: 409, title: "The request cannot be rendered" },
  body_purged: { status: 409, title: "The event's data has been purged" },
  superseded: { status: 409, title: "A later delivery of its ordering key has been attempted" },
  last_admin: { status: 409, title: "There must be an admin" },
  user_deactivated: { status: 409, title: "The user cannot sign in" },
  endpoint_deleted: { status: 409, title: "The endpoint has been deleted" },
  link_not_valid: { status: 410, title: "The link is not valid any more" },
  overlapping: { status: 409, title: "A requeue that is under way has the same deliveries" },
  change_decided: { status: 409, title: "The change was decided already" },
  too_many_requeues: { status: 409, title: "No more requeues can be under way at once" },
  requeue_ended: { status: 409, title: "The requeue has ended" },
  too_large: { status: 413, title: "Too large" },
  unsupported_media_type: { status: 415, title: "The content type is not supported" },
  invalid_input: { status: 422, title: "The input is not valid" },
  nothing_matches: { status: 422, title: "No delivery matches" },
  nothing_to_do: { status: 422, title: "None of these deliveries can be taken" },
  unknown_macro: { status: 422, title: "The template has an unknown macro" },
  template_syntax: { status: 422, title: "The template is not written correctly" },
  foreign_syntax: { status: 422, title: "The template has macros of another tracker" },
  html_entity: { status: 422, title: "The template has HTML in it" },
  macro_in_authority: { status: 422, title: "The template has a macro before its path" },
  userinfo: { status: 422, title: "The template has a user name or password in it" },
  fragment: { status: 422, title: "The template has a fragment" },
  literal_rewritten: { status: 422, title: "The template has text that would not be sent as it stands" },
  status_macro_required: { status: 422, title: "The template must say the conversion's status" },
  too_many_requests: { status: 429, title: "Too many requests" },
  internal_error: { status: 500, title: "Something went wrong on our side" },
  provider_unavailable: { status: 503, title: "The identity provider cannot be reached" },
  database_unavailable: { status: 503, title: "The database cannot be reached" },
  database_timeout: { status: 503, title: "The database did not answer in time" },
} as const;
export type ProblemCode = keyof typeof problemKinds;

/** A fault in one field of the input; `field` is its path, such as `retry.max_attempts` or `event_types.2`. */
export type FieldError = {
  field: string;
  message: string;
  /** Of a template's fault: its code, and what would be right in its place. */
  code?: string;
  suggestion?: string;
};

/** The members of a problem document (RFC 9457), without the request's id. */
export type ProblemBody = {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
  errors?: FieldError[];
  suggestion?: string;
};

/** A refusal that the caller is told about. `detail` and `errors` name what was expected, and repeat no value. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly errors: FieldError[];
  readonly suggestion: string | null;
  /** When to try again; null where nothing says so. */
  readonly retryAfterSeconds: number | null;

  constructor(
    code: ProblemCode,
    detail: string,
    errors: FieldError[] = [],
    {
      suggestion = null,
      retryAfterSeconds = null,
    }: { suggestion?: string | null; retryAfterSeconds?: number | null } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = errors;
    this.suggestion = suggestion;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get status(): number {
    return problemKinds[this.code].status;
  }
}

/** A 422 about one field. */
export function invalidField(field: string, message: string): Problem {
  return new Problem("invalid_input", `${field} ${message}`, [{ field, message }]);
}

/** A 404 that says of what kind the missing thing is. */
export function notFound(what: string): Problem {
  return new Problem("not_found", `There is no such ${what}`);
}

/** What was looked for; a 404 that says of what kind it is where there is none. */
export function existing<T>(found: T | null | undefined, what: string): T {
  if (found === null || found === undefined) throw notFound(what);
  return found;
}

export function problemBody(problem: Problem): ProblemBody {
  const { status, title } = problemKinds[problem.code];
  return {
    type: `urn:posthorn:problem:${problem.code}`,
    title,
    status,
    code: problem.code,
    detail: problem.message,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    ...(problem.suggestion === null ? {} : { suggestion: problem.suggestion }),
  };
}
