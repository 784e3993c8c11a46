import { expect, test } from "@playwright/test";

/** Percent-escapes that are no UTF-8 cannot be decoded: they are nobody's id, and no fault of ours. */
for (const id of ["%FF", "%E0%A4%A"]) {
  test(`${id} is an unknown id, in the API and in the console`, async ({ request }) => {
    const headers = { authorization: `Bearer ${process.env.POSTHORN_E2E_API_KEY}` };
    const answer = await request.get(`/api/v1/deliveries/${id}`, { headers });
    expect(answer.status()).toBe(404);
    expect(answer.headers()["content-type"]).toBe("application/problem+json");
    expect((await request.get(`/deliveries/${id}`)).status()).toBeLessThan(500);
  });
}
