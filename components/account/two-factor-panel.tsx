"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Field, Input } from "#components/ui/field.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import {
  beginTwoFactorOptions,
  disableTwoFactorOptions,
  enableTwoFactorOptions,
} from "#lib/accounts/client.ts";
import type { TwoFactorSecret } from "#lib/accounts/schema.ts";
import { ApiError, errorWords } from "#lib/api/fetcher.ts";

/** Turns on and off that signing in asks for a code of an app as well. */
export function TwoFactorPanel({ isOn }: { isOn: boolean }) {
  return (
    <Panel title="Second factor">
      <div className="flex max-w-prose flex-col gap-4">
        <p className="text-ink-2">
          {isOn
            ? "Signing in asks for a code of your authenticator app, or for one of your backup codes."
            : "Signing in asks for your password alone. An authenticator app makes it ask for a code as well."}
        </p>
        {isOn ? <TurnOff /> : <TurnOn />}
      </div>
    </Panel>
  );
}

function TurnOn() {
  const router = useRouter();
  const [made, setMade] = useState<TwoFactorSecret | null>(null);
  const begin = useMutation(beginTwoFactorOptions);
  const enable = useMutation(enableTwoFactorOptions);
  if (made === null) {
    return (
      <OneFieldForm
        label="Your password"
        type="password"
        action="Set up an app"
        busy={begin.isPending}
        error={begin.error}
        onSend={(password) => begin.mutate({ password }, { onSuccess: setMade })}
      />
    );
  }
  return (
    <>
      <p>
        Add this key to your app, by hand or by{" "}
        <a href={made.uri} className="underline">
          opening it there
        </a>
        :
      </p>
      <div className="flex items-center gap-2 rounded-md border border-line bg-surface px-3 py-2">
        <code className="min-w-0 flex-1 break-all font-mono text-xs">{made.secret}</code>
        <CopyButton text={made.secret} what="key" />
      </div>
      <p>
        Keep these backup codes where the app is not. Each signs you in once if you lose the app, and they are
        shown this once:
      </p>
      <CodeBlock text={made.backup_codes.join("\n")} what="backup codes" />
      <OneFieldForm
        label="Code that the app shows now"
        type="text"
        action="Turn it on"
        busy={enable.isPending}
        error={enable.error}
        onSend={(code) =>
          enable.mutate(
            { code },
            {
              onSuccess: () => {
                toastDone("Signing in asks for a code from now on.");
                router.refresh();
              },
            },
          )
        }
      />
    </>
  );
}

function TurnOff() {
  const router = useRouter();
  const disable = useMutation(disableTwoFactorOptions);
  return (
    <OneFieldForm
      label="Your password"
      type="password"
      action="Turn it off"
      busy={disable.isPending}
      error={disable.error}
      onSend={(password) =>
        disable.mutate(
          { password },
          {
            onSuccess: () => {
              toastDone("Signing in asks for your password alone.");
              router.refresh();
            },
          },
        )
      }
    />
  );
}

type OneFieldFormProps = {
  label: string;
  type: "password" | "text";
  action: ReactNode;
  busy: boolean;
  error: Error | null;
  onSend: (value: string) => void;
};

function OneFieldForm({ label, type, action, busy, error, onSend }: OneFieldFormProps) {
  const [value, setValue] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!busy && value.trim() !== "") onSend(value);
  };
  return (
    <form method="post" onSubmit={send} className="flex max-w-sm flex-col gap-4">
      <Field label={label} error={error ? fieldWords(error) : undefined}>
        {(ids) => (
          <Input
            {...ids}
            type={type}
            value={value}
            autoComplete={type === "password" ? "current-password" : "one-time-code"}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button type="submit" busy={busy} disabledReason={value.trim() === "" ? `${label} is needed.` : null}>
          {action}
        </Button>
      </div>
    </form>
  );
}

function fieldWords(error: Error): string {
  const [fault] = error instanceof ApiError ? error.fieldErrors : [];
  return fault?.message ?? errorWords(error, { withRequest: true });
}
