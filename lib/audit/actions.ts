/** Everything that is recorded, as people read it. An action that is not here does not compile. */
export const auditActionLabels = {
  "affiliate.create": "Affiliate added",
  "affiliate.edit": "Affiliate edited",
  "affiliate.delete": "Affiliate deleted",
  "api_key.create": "API key created",
  "api_key.revoke": "API key revoked",
  "delivery.resend": "Delivery resent",
  "delivery.reveal": "Delivery's values revealed",
  "endpoint.create": "Endpoint created",
  "endpoint.edit": "Endpoint edited",
  "endpoint.delete": "Endpoint deleted",
  "endpoint.pause": "Endpoint paused",
  "endpoint.resume": "Endpoint resumed",
  "endpoint.disable": "Endpoint disabled",
  "endpoint.warn_failing": "Warned that the endpoint only fails",
  "endpoint.test": "Endpoint tested",
  "endpoint.render_waiting": "Waiting postbacks rendered again",
  "endpoint.hold_breaker": "Breaker held open",
  "endpoint.reset_breaker": "Breaker reset",
  "endpoint.close_breaker": "Breaker closed",
  "endpoint.rotate_secret": "Signing secret rotated",
  "endpoint.revoke_secret": "Signing secret revoked",
  "endpoint.reveal_secret": "Signing secret revealed",
  "event.reveal": "Event's values revealed",
  "event_type.create": "Event type added",
  "event_type.edit": "Event type edited",
  "event_type.delete": "Event type deleted",
  "portal_link.create": "Portal link made",
  "portal_link.use": "Portal opened by a link",
  "portal_link.revoke": "Portal link revoked",
  "user.create": "User added",
  "user.edit": "User edited",
  "user.sign_in": "User signed in",
  "user.sign_out": "User signed out",
  "user.sign_out_everywhere": "User signed out everywhere",
  "user.change_password": "Password changed",
  "user.enable_second_factor": "Second factor turned on",
  "user.disable_second_factor": "Second factor turned off",
  "requeue.create": "Requeue started",
  "requeue.cancel": "Requeue cancelled",
} as const;
export type AuditAction = keyof typeof auditActionLabels;
export const auditActions = Object.keys(auditActionLabels) as [AuditAction, ...AuditAction[]];

/** What an entry can be about. */
export const auditObjectLabels = {
  affiliate: "Affiliate",
  api_key: "API key",
  delivery: "Delivery",
  endpoint: "Endpoint",
  event: "Event",
  event_type: "Event type",
  portal_link: "Portal link",
  user: "User",
  requeue: "Requeue",
} as const;
export type AuditObjectKind = keyof typeof auditObjectLabels;
export const auditObjectKinds = Object.keys(auditObjectLabels) as [AuditObjectKind, ...AuditObjectKind[]];
