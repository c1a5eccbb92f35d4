/**
 * Assumptions that were not measured in Azure yet, estimated on the high side. `seconds` is how long an execution works, of which at least
 * `leastSeconds` are billed: https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan#billing. Concurrent executions on one instance
 * are billed once. Here each is counted separately.
 */
export const ASSUMED = {
  leastSeconds: 1,
  seconds: { timer: 1, gc: 1.5, decision: 1, post: 1, step: 1, event: 1 },
  /** Executions and storage operations in the life of a machine, from its decision to its end. */
  perClaim: { decisions: 15, posts: 20, steps: 40, events: 2, wakes: 1 },
  /** Storage operations of one execution. */
  reads: { timer: 4, decision: 5, post: 2, step: 1 },
  writes: { gc: 2, decision: 2, post: 1 },
  /**
   * How long an instance stays after its work, and how often its queue is polled during that time (host.json; once a second if events arrive by
   * queue).
   */
  aliveSeconds: 60,
  pollSeconds: { function: 30, queue: 1 },
  /** The platform polls each queue to decide whether an instance is needed. The number of queues, by the way in which events arrive. */
  queues: { function: 1, queue: 3 },
  platformPollSeconds: 10,
  /**
   * What the Functions host itself sends to Application Insights. `aMinute`: KB a minute of an instance, measured with host 4.1037 in November 2026,
   * by `telemetryMode` of host.json: without rows for queues that are not there, which the other figure includes. The measurement had counters, dependencies
   * and lines for each run, which host.json now leaves out. `aRun`: the row of a request.
   */
  hostKb: { aMinute: { ApplicationInsights: 25, OpenTelemetry: 180 }, aRun: 1.5 },
  /** Period in which the app counts the messages of each queue, for monitoring. */
  countSeconds: 300,
  storedGb: 1,
  /** Outbound traffic of one run of the timer, one step of a claim and one decision. */
  gb: { timer: 20e-6, step: 50e-6, decision: 20e-6 },
  logAlerts: { every15Minutes: 4, every5Minutes: 1 },
  metricAlertSeries: 2,
  privateEndpoints: 3,
} as const
