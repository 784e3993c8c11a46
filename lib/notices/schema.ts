import { z } from "zod";
import { pageQuery } from "#lib/api/paging.ts";
import {
  type NoticeChannel,
  type NoticeKind,
  type NoticeSendState,
  noticeKinds,
  type Reason,
} from "#lib/vocabulary.ts";

const maxWebhookUrl = 2_048;

export const noticeSettingsEdit = z
  .strictObject({
    kinds: z
      .array(z.enum(noticeKinds))
      .max(noticeKinds.length)
      .refine((kinds) => new Set(kinds).size === kinds.length, "must name each kind once")
      .optional(),
    by_email: z.boolean().optional(),
    /** Null for none. */
    webhook_url: z.string().trim().min(1).max(maxWebhookUrl).nullable().optional(),
  })
  .refine((edit) => Object.keys(edit).length > 0, "must change at least one field");
export type NoticeSettingsEdit = z.infer<typeof noticeSettingsEdit>;

/** What a user is told, and where. */
export type NoticeSettings = {
  kinds: NoticeKind[];
  by_email: boolean;
  webhook_url: string | null;
  /** Whether this deployment can send e-mail at all. */
  email_possible: boolean;
};

/** `secret`: signs what goes to the webhook; answered this once, when a first URL was set. */
export type NoticeSettingsSaved = NoticeSettings & { secret?: string };
export type NoticeSecret = { secret: string };

export const noticeId = z.string().regex(/^[1-9][0-9]{0,17}$/, "must be a notice's id");
export const noticeListQuery = pageQuery;
export type NoticeListQuery = z.infer<typeof noticeListQuery>;

/** One change of an endpoint's state, and how the reader was told of it. */
export type Notice = {
  id: string;
  at: string;
  kind: NoticeKind;
  endpoint: { id: string; name: string; deleted: boolean };
  reason: Reason | null;
  status: number | null;
  failing_since: string | null;
  sends: { channel: NoticeChannel; state: NoticeSendState; attempts: number; failure: string | null }[];
};
