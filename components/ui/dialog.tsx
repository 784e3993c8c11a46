"use client";

import { AlertDialog as Base } from "@base-ui/react/alert-dialog";
import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";

const backdrop =
  "fixed inset-0 z-40 bg-scrim transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0";
const popup =
  "fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-4 overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-popup transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0";

type ConfirmProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** The consequence, with the exact count where one is meant. */
  children: ReactNode;
  /** What has to be said or chosen with the answer. */
  fields?: ReactNode;
  confirmLabel: string;
  /** Why it cannot be confirmed yet. */
  confirmDisabledReason?: string | null;
  onConfirm: () => void;
  busy?: boolean;
  danger?: boolean;
  error?: string | null;
};

/** Asks before a wide or destructive action; the safe button has the focus. */
export function ConfirmDialog(props: ConfirmProps) {
  const safeButton = useRef<HTMLButtonElement>(null);
  return (
    <Base.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup className={popup} initialFocus={safeButton}>
          <form
            className="flex flex-col gap-4"
            onSubmit={(event) => {
              event.preventDefault();
              props.onConfirm();
            }}
          >
            <Base.Title className="font-semibold text-base">{props.title}</Base.Title>
            <Base.Description render={<div />} className="flex flex-col gap-2 text-ink-2">
              {props.children}
            </Base.Description>
            {props.fields}
            {props.error ? (
              <p role="alert" className="text-bad">
                {props.error}
              </p>
            ) : null}
            <div className="flex justify-end gap-2">
              <Base.Close render={<Button ref={safeButton} />}>Cancel</Base.Close>
              <Button
                type="submit"
                tone={props.danger ? "danger" : "primary"}
                busy={props.busy ?? false}
                disabledReason={props.confirmDisabledReason ?? null}
              >
                {props.confirmLabel}
              </Button>
            </div>
          </form>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  className?: string;
};

export function Dialog({ open, onOpenChange, title, description, children, className }: DialogProps) {
  return (
    <BaseDialog.Root open={open} onOpenChange={onOpenChange}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={backdrop} />
        <BaseDialog.Popup className={classNames(popup, className)}>
          <div className="flex flex-col gap-1 pr-8">
            <BaseDialog.Title className="font-semibold text-base">{title}</BaseDialog.Title>
            {description ? (
              <BaseDialog.Description className="text-ink-2">{description}</BaseDialog.Description>
            ) : null}
          </div>
          {children}
          {/* Last, so that what the dialog is for has the focus first. */}
          <BaseDialog.Close
            aria-label="Close"
            className="absolute top-3 right-3 inline-flex size-8 items-center justify-center rounded-md text-ink-2 hover:bg-hover hover:text-ink"
          >
            <X aria-hidden className="size-4" />
          </BaseDialog.Close>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
