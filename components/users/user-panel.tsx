"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { AuditPanel } from "#components/audit/audit-panel.tsx";
import { useReader } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { FormProblem } from "#components/ui/field.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { can } from "#lib/auth/permissions.ts";
import { formatNoun } from "#lib/format.ts";
import { changeRoleOptions, type UserAction, userActionOptions } from "#lib/users/client.ts";
import type { User } from "#lib/users/schema.ts";
import { roleLabels } from "#lib/vocabulary.ts";
import { PasswordLink } from "./password-link.tsx";
import { RoleFields } from "./role-fields.tsx";

type Offer = { action: UserAction; label: string; hint: string; done: string; danger?: boolean };

/** What can be done with the user as they are now. */
function offersFor({ name, status, two_factor, session_count }: User): Offer[] {
  const offers: Offer[] = [];
  if (session_count > 0)
    offers.push({
      action: "sign-out",
      label: "Sign them out",
      hint: `They are signed in at ${formatNoun(session_count, "place")}; their next request there is refused.`,
      done: `${name} was signed out.`,
    });
  if (two_factor)
    offers.push({
      action: "reset-second-factor",
      label: "Reset the second factor",
      hint: "For somebody who lost app and backup codes: signing in asks for the password alone.",
      done: `The second factor of ${name} was reset.`,
    });
  if (status === "active")
    offers.push({
      action: "deactivate",
      label: "Deactivate",
      hint: "They are signed out at once, and cannot sign in until they are reactivated.",
      done: `${name} was deactivated.`,
      danger: true,
    });
  else
    offers.push({
      action: "reactivate",
      label: "Reactivate",
      hint: "They can sign in again, with the password and role that they had.",
      done: `${name} was reactivated.`,
    });
  return offers;
}

export function UserPanel({ user, onDone }: { user: User; onDone: () => void }) {
  const reader = useReader();
  const refusal = can(reader, "user.manage", { isSelf: reader.id === user.id });
  const act = useMutation(userActionOptions);
  const run = ({ action, done }: Offer) =>
    act.mutate(
      { id: user.id, action },
      {
        onSuccess: () => {
          onDone();
          toastDone(done);
        },
      },
    );
  if (refusal !== null) return <p className="text-ink-2">{refusal}.</p>;
  return (
    <div className="flex flex-col gap-5">
      <RoleForm user={user} onDone={onDone} />
      {user.status === "active" ? <PasswordLink user={user} /> : null}
      <ul className="flex flex-col gap-4 border-line border-t pt-4">
        {offersFor(user).map((offer) => (
          <li key={offer.action} className="flex flex-col items-start gap-1">
            <Button
              tone={offer.danger ? "danger" : "plain"}
              busy={act.isPending && act.variables.action === offer.action}
              onClick={() => run(offer)}
            >
              {offer.label}
            </Button>
            <span className="text-ink-2 text-xs">{offer.hint}</span>
          </li>
        ))}
      </ul>
      <FormProblem message={act.error ? errorWords(act.error, { withRequest: true }) : null} />
      <AuditPanel kind="user" id={user.id} />
    </div>
  );
}

function RoleForm({ user, onDone }: { user: User; onDone: () => void }) {
  const change = useMutation(changeRoleOptions);
  const [role, setRole] = useState(user.role);
  const [affiliate, setAffiliate] = useState(user.affiliate?.key ?? null);
  const isSame = role === user.role && affiliate === (user.affiliate?.key ?? null);
  const isIncomplete = role === "affiliate" && affiliate === null;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isSame || isIncomplete || change.isPending) return;
    change.mutate(
      { id: user.id, role, affiliate },
      {
        onSuccess: () => {
          onDone();
          toastDone(`${user.name} has the role ${roleLabels[role].toLowerCase()} now.`);
        },
      },
    );
  };
  return (
    <form onSubmit={send} className="flex flex-col gap-4">
      <RoleFields
        role={role}
        affiliate={affiliate}
        onChange={(given) => {
          setRole(given.role);
          setAffiliate(given.affiliate);
        }}
      />
      <FormProblem message={change.error ? errorWords(change.error, { withRequest: true }) : null} />
      <div className="flex justify-end">
        <Button
          type="submit"
          tone="primary"
          busy={change.isPending}
          disabledReason={
            isSame ? "Choose another role first." : isIncomplete ? "Choose the affiliate first." : null
          }
        >
          Change the role
        </Button>
      </div>
    </form>
  );
}
