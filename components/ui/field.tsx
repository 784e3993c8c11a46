import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "./class-names.ts";

export const controlClass =
  "h-8 w-full rounded-md border border-control-line bg-raised px-2.5 text-ink text-sm focus-visible:outline-offset-0 aria-invalid:border-bad disabled:opacity-60";

type ControlProps = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
};

type FieldProps = {
  label: string;
  /** Which of several alike, for those who do not see where it stands: "of header 2". */
  what?: string;
  hint?: ReactNode;
  error?: string | undefined;
  className?: string;
  /** Renders the control with the ids that tie label, hint and error to it. */
  children: (control: ControlProps) => ReactNode;
};

export function Field({ label, what, hint, error, className, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const describedBy = [hint ? hintId : null, error ? errorId : null].filter(Boolean).join(" ") || undefined;
  return (
    <div className={classNames("flex flex-col gap-1", className)}>
      <label htmlFor={id} className="font-medium text-sm">
        {label}
        {what ? <span className="sr-only"> {what}</span> : null}
      </label>
      {children({ id, "aria-describedby": describedBy, "aria-invalid": error ? true : undefined })}
      {hint ? (
        <p id={hintId} className="text-ink-3 text-xs">
          {hint}
        </p>
      ) : null}
      <FieldError id={errorId} message={error} />
    </div>
  );
}

export function FieldError({ id, message }: { id?: string; message: string | undefined }) {
  return message ? (
    <p id={id} role="alert" className="text-bad text-xs">
      {sentence(message)}
    </p>
  ) : null;
}

/** What schemas and API say goes on where the field's name ends; what begins with a capital is complete. */
function sentence(message: string): string {
  return /^[a-z]/.test(message) ? `This ${message}.` : message;
}

/** What is wrong with a form as a whole. */
export function FormProblem({ message }: { message: string | null | undefined }) {
  return message ? (
    <p role="alert" className="rounded-md border border-bad bg-bad-tint px-3 py-2 text-bad">
      {message}
    </p>
  ) : null;
}

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input {...rest} className={classNames(controlClass, className)} />;
}

export function Select({ className, ...rest }: ComponentProps<"select">) {
  return <select {...rest} className={classNames(controlClass, className)} />;
}

export function Textarea({ className, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      {...rest}
      className={classNames(controlClass, "field-sizing-content h-auto py-1.5", className)}
    />
  );
}

type ChoiceProps = Omit<ComponentProps<"input">, "type" | "id" | "className"> & { hint?: string };

/** One of several choices; the hint says what it means. */
export function Radio(props: ChoiceProps) {
  return <Choice {...props} type="radio" />;
}

export function Checkbox(props: ChoiceProps) {
  return <Choice {...props} type="checkbox" />;
}

function Choice({ children, hint, ...rest }: ChoiceProps & { type: "radio" | "checkbox" }) {
  const hintId = useId();
  return (
    <div>
      <label className="flex min-h-6 items-center gap-2">
        <input {...rest} aria-describedby={hint ? hintId : undefined} />
        {children}
      </label>
      {hint ? (
        <p id={hintId} className="ml-5 text-ink-3 text-xs">
          {hint}
        </p>
      ) : null}
    </div>
  );
}
