import { expect, test } from "vitest";
import { settingFields } from "#components/endpoints/form-types.ts";
import { ApiError } from "#lib/api/fetcher.ts";
import { showServerErrors } from "#lib/api/forms.ts";

/** Where the form shows the fault of a field, and what is said above the form. */
function show(field: string): { home: string | undefined; problem: string | null } {
  const error = new ApiError({
    status: 422,
    title: "The input is not valid",
    fieldErrors: [{ field, message: "is wrong" }],
  });
  let home: string | undefined;
  const setError = (name: string) => {
    home = name;
  };
  return { problem: showServerErrors(error, { fields: settingFields, setError }), home };
}

test.each([
  ["url", "url"],
  ["event_types.2", "event_types"],
  ["retry.max_attempts", "retry.max_attempts"],
  ["retry.more", "retry"],
  ["rate_limit.amount", "rate_limit.amount"],
  ["rate_limit.per", "rate_limit"],
  ["headers.1.name", "headers.1.name"],
  ["headers.12.value", "headers.12.value"],
  ["headers.1", "headers"],
  ["headers", "headers"],
  ["response_rules.0.statuses.3", "response_rules.0.statuses"],
  ["response_rules.0.text", "response_rules.0.text"],
  ["response_rules.0.kind", "response_rules"],
])("the server's error for %s stands beside %s", (field, home) => {
  expect(show(field)).toEqual({ home, problem: null });
});

test.each(["urls", "headers_more", "affiliate"])(
  "%s has no field here, so it is said above the form",
  (field) => {
    expect(show(field)).toEqual({ home: undefined, problem: `The input is not valid; ${field} is wrong` });
  },
);
