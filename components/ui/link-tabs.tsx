import Link from "next/link";
import { classNames } from "./class-names.ts";

type LinkTabsProps = {
  label: string;
  tabs: { href: string; label: string; current: boolean; onSelect: () => void }[];
};

/** Views of one page as links, so that each can be opened, shared and returned to; a plain click stays on the page. */
export function LinkTabs({ label, tabs }: LinkTabsProps) {
  return (
    <nav aria-label={label} className="mb-3 border-line border-b">
      <ul className="-mb-px flex gap-1 overflow-x-auto">
        {tabs.map((tab) => (
          <li key={tab.href}>
            <Link
              href={tab.href}
              prefetch={false}
              aria-current={tab.current ? "page" : undefined}
              onNavigate={(event) => {
                event.preventDefault();
                tab.onSelect();
              }}
              className={classNames(
                "inline-flex h-9 items-center border-b-2 px-2.5 whitespace-nowrap focus-visible:-outline-offset-2",
                tab.current
                  ? "border-focus font-medium text-ink"
                  : "border-transparent text-ink-2 hover:text-ink",
              )}
            >
              {tab.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
