import { expect, test } from "vitest";
import { passwordFault } from "#lib/accounts/password.ts";

const email = "ada.lovelace@posthorn.example";
const fault = (password: string) => passwordFault(password, { email });

test.each([
  "three little horns",
  "Tr0mbone-and-kettle",
  "käse brot und wein",
  "194857362045",
  "password of the postman",
])("%j is taken", (password) => {
  expect(fault(password)).toBeNull();
});

test.each([
  ["short", "must have at least 12 characters"],
  ["💥".repeat(11), "must have at least 12 characters"],
  ["x1y2".repeat(51), "must have at most 200 characters"],
  ["Ada.Lovelace@posthorn.example", "must not be the e-mail address"],
  ["ada.lovelace", "must not be the e-mail address"],
  ["ada.lovelace1815", "must not be the e-mail address"],
])("%j: %s", (password, why) => {
  expect(fault(password)).toBe(why);
});

test.each([
  "password1234",
  "Password2026!",
  "P@ssw0rd1234",
  "qwertyuiop12",
  "123456789012",
  "abcdefghijkl",
  "lkjihgfedcba",
  "aaaaaaaaaaaa",
  "abcabcabcabc",
  "letmein12345",
  "administrator",
  "posthornadmin",
])("%j is among the first that anybody would try", (password) => {
  expect(fault(password)).toMatch(/^is among the first/);
});
