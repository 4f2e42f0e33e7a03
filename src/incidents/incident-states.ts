export const INCIDENT_STATUS_MEANINGS = {
  open: 'addresses still bounce',
  closed: 'no such wave for 60 minutes',
  decided: 'somebody decided what becomes of the held bounces',
} as const;

export type IncidentStatus = keyof typeof INCIDENT_STATUS_MEANINGS;

export const INCIDENT_DECISION_MEANINGS = {
  lift: 'the bounces were false: lift the held ones',
  keep: 'the bounces were true: suppress the held addresses like all others that bounce',
} as const;

export type IncidentDecision = keyof typeof INCIDENT_DECISION_MEANINGS;

export const INCIDENT_DECISIONS = Object.keys(INCIDENT_DECISION_MEANINGS) as readonly IncidentDecision[];
