import Link from "next/link";
import type { ReactNode } from "react";

type PageHeaderProps = {
  title: ReactNode;
  /** Where the page belongs, as links from the outside in. */
  trail?: { href: string; label: string }[];
  status?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
};

export function PageHeader({ title, trail = [], status, description, actions }: PageHeaderProps) {
  return (
    <div className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="flex min-w-0 flex-col gap-1">
        {trail.length > 0 ? (
          <nav aria-label="Breadcrumb">
            <ol className="flex flex-wrap gap-1 text-ink-3 text-xs">
              {trail.map(({ href, label }) => (
                <li key={href} className="flex gap-1">
                  <Link href={href} className="-my-1 py-1 hover:text-ink hover:underline">
                    {label}
                  </Link>
                  <span aria-hidden>/</span>
                </li>
              ))}
            </ol>
          </nav>
        ) : null}
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 break-words font-semibold text-lg tracking-tight">{title}</h1>
          {status}
        </div>
        {description ? <div className="max-w-prose text-ink-2">{description}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-start gap-2">{actions}</div> : null}
    </div>
  );
}
