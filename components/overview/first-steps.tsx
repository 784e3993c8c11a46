import Link from "next/link";

const steps = [
  {
    href: "/affiliates",
    label: "Add an affiliate",
    text: "the party that owns endpoints and that events name",
  },
  { href: "/endpoints/new", label: "Create an endpoint", text: "a URL where it wants its events" },
  { href: "/events", label: "Publish an event", text: "with your API key, by one HTTP call" },
];

/** For a system that has nothing yet: what to do, in order. */
export function FirstSteps() {
  return (
    <section aria-labelledby="first-steps" className="rounded-lg border border-line border-dashed px-5 py-4">
      <h2 id="first-steps" className="mb-2 font-semibold text-sm">
        To see the first delivery
      </h2>
      <ol className="flex list-inside list-decimal flex-col gap-1">
        {steps.map(({ href, label, text }) => (
          <li key={href}>
            <Link href={href} className="font-medium underline underline-offset-2">
              {label}
            </Link>
            <span className="text-ink-2">: {text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
