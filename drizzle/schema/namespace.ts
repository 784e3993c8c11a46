import { customType, pgSchema } from "drizzle-orm/pg-core";
import {
  actorKinds,
  alertStates,
  attemptOutcomes,
  breakerCauses,
  breakerStates,
  deliveryStates,
  endpointChangeStates,
  endpointKinds,
  endpointStatuses,
  findingKinds,
  httpMethods,
  invalidDataRules,
  keyPurposes,
  latencyResolutions,
  noticeChannels,
  noticeKinds,
  noticeSendStates,
  orderings,
  reasons,
  requeueModes,
  requeueOperations,
  requeueStates,
  roles,
} from "#lib/vocabulary.ts";

/** Everything of ours lives in one schema, so that Posthorn can share its producer's database. */
export const posthorn = pgSchema("posthorn");

export const deliveryState = posthorn.enum("delivery_state", deliveryStates);
export const attemptOutcome = posthorn.enum("attempt_outcome", attemptOutcomes);
export const reason = posthorn.enum("reason", reasons);
export const endpointKind = posthorn.enum("endpoint_kind", endpointKinds);
export const endpointStatus = posthorn.enum("endpoint_status", endpointStatuses);
export const httpMethod = posthorn.enum("http_method", httpMethods);
export const ordering = posthorn.enum("ordering", orderings);
export const breakerState = posthorn.enum("breaker_state", breakerStates);
export const breakerCause = posthorn.enum("breaker_cause", breakerCauses);
export const latencyResolution = posthorn.enum("latency_resolution", latencyResolutions);
export const invalidDataRule = posthorn.enum("invalid_data_rule", invalidDataRules);
export const keyPurpose = posthorn.enum("key_purpose", keyPurposes);
export const findingKind = posthorn.enum("finding_kind", findingKinds);
export const alertState = posthorn.enum("alert_state", alertStates);
export const actorKind = posthorn.enum("actor_kind", actorKinds);
export const role = posthorn.enum("role", roles);

export const requeueOperation = posthorn.enum("requeue_operation", requeueOperations);
export const requeueMode = posthorn.enum("requeue_mode", requeueModes);
export const requeueState = posthorn.enum("requeue_state", requeueStates);

export const noticeKind = posthorn.enum("notice_kind", noticeKinds);
export const noticeChannel = posthorn.enum("notice_channel", noticeChannels);
export const noticeSendState = posthorn.enum("notice_send_state", noticeSendStates);
export const endpointChangeState = posthorn.enum("endpoint_change_state", endpointChangeStates);

export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
