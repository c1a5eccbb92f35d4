import * as z from 'zod'
import { err, ok, type Result } from '../shared/base/result.ts'
import { ownValue } from '../shared/base/values.ts'
import { FLOW_LIMITS } from '../shared/flows/deps/clusterDeps.ts'
import { armAudience, PUBLIC_CLOUD } from '../shared/model/cloud.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import { durationMs } from '../shared/model/units.ts'
import { type ClusterEntry, parseClusterEntries } from '../shared/wire/clusterEntry.ts'
import { connectionString } from './connectionString.ts'
import { defaultSpreadSetting, schedulerConfigSetting } from './defaultSpreadSetting.ts'
import { injectedSettingProblems } from './injectedSettings.ts'
import { repairPoliciesSetting } from './repairPoliciesSetting.ts'
import { DEFAULT_SCHEDULES } from './scheduleSettings.ts'
import { parseSchedule } from './schedules.ts'
import { settingConflicts } from './settingRules.ts'

/** The longest duration of a setting. */
const LONGEST = 7 * 24 * 3_600_000
const MS_BY_UNIT: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h)$/, 'must be a whole number with a unit, for example 1s or 500ms')
  .transform((text) => {
    const [, count = '0', unit = 'ms'] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? []
    return Number(count) * (ownValue(MS_BY_UNIT, unit) ?? 1)
  })
  .refine((ms) => ms <= LONGEST, 'must be at most 168h: seven days')
  .transform(durationMs)
const url = z.url({ protocol: /^https?$/, message: 'must be an http or https address' })
const resourceId = z.string().regex(/^(\/[-\w.()]+)+$/, 'must be a resource id, without characters that an address has to escape')
const schedule = z
  .string()
  .refine(
    (text) => parseSchedule(text) !== undefined,
    'must be an NCRONTAB expression of six fields: second minute hour day month weekday, for a time that comes',
  )

/**
 * All settings of the app, each with its rule, its default and its purpose. This is the only definition: `local.settings.sample.json` lists the same
 * names, and `npm run generate` writes `docs/reference.md` from it.
 */
export const SETTINGS = z.object({
  /** Connection string of the storage account. Only for places without managed identity, such as the local stack. Refused beside the settings below. */
  AzureWebJobsStorage: connectionString.optional(),
  /** Name of the storage account, which is reached by managed identity. This or the connection string must be set. */
  AzureWebJobsStorage__accountName: z.string().min(3).optional(),
  /** URL of the blob service. Default: from the name, in the cloud of `ARM_ENDPOINT`. */
  AzureWebJobsStorage__blobServiceUri: url.optional(),
  /** URL of the queue service. Default: from the name, in the cloud of `ARM_ENDPOINT`. */
  AzureWebJobsStorage__queueServiceUri: url.optional(),
  /** JSON array with one entry for each cluster: its resource id, and what Azure does not report about it. */
  JOINER_CLUSTERS: z.string().min(2),
  /** Tenant of the app. Tokens of the tenant are accepted if `ENTRA_AUDIENCE` is set. */
  ENTRA_TENANT_ID: z.string().min(1),
  /**
   * Audience of those tokens: an app registration of yours. Without it, only service account tokens are accepted from readers. Required if
   * `SHIM_AUTH` is `entra`.
   */
  ENTRA_AUDIENCE: z.string().min(1).optional(),
  /** Authority that publishes the tenant's signing keys. */
  ENTRA_AUTHORITY: url.default(PUBLIC_CLOUD.facts.authority),
  /**
   * `serviceAccount`: the shim sends a token of its cluster's own issuer. `entra`: it sends a token of the tenant. Must equal `shimAuth` of the
   * chart.
   */
  SHIM_AUTH: z.enum(['serviceAccount', 'entra']).default('serviceAccount'),
  /** Audience of service account tokens of shims and readers. Must equal `audience` of the chart. */
  SHIM_AUDIENCE: z.string().min(1).default('api://joiner'),
  /** `function`: Event Grid calls the app. `queue`: Event Grid writes to the queue `interruption`, which the app reads. */
  EVENT_DELIVERY: z.enum(['function', 'queue']).default('function'),
  /** Destination of telemetry, see docs/monitoring.md. Empty: telemetry is not sent. */
  APPLICATIONINSIGHTS_CONNECTION_STRING: z
    .string()
    .regex(/InstrumentationKey=/, 'must name an InstrumentationKey')
    .optional(),
  /** `ClientId=...;Authorization=AAD`: the identity that sends telemetry. Empty: the connection string is enough. */
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: z
    .string()
    .regex(/^(ClientId=[^;]+;)?Authorization=AAD;?$/, 'must be Authorization=AAD, after ClientId=...; where an identity is meant')
    .optional(),
  /** Resource id of the workbook. If it is set, Events, conditions and the status link to the portal. */
  WORKBOOK_ID: resourceId.optional(),
  /** Resource id of the Log Analytics workspace. If it is set as well, the status links to the telemetry of each decision. */
  LOG_WORKSPACE_ID: resourceId.optional(),
  /** URL of the cloud's portal. */
  PORTAL_ENDPOINT: url.default(PUBLIC_CLOUD.facts.portal),
  /** Client id of the app's managed identity. Empty: the identity that is logged in. */
  AZURE_CLIENT_ID: z.string().min(1).optional(),
  /** URL of Azure Resource Manager. It says which cloud the app is in. */
  ARM_ENDPOINT: url.default(PUBLIC_CLOUD.facts.resourceManager),
  /** URL of the retail price list. */
  PRICES_ENDPOINT: url.default(PUBLIC_CLOUD.facts.prices),
  /** The batch window closes after this time without another pending pod. */
  BATCH_IDLE_DURATION: duration.default(durationMs(1_000)),
  /** The batch window closes at the latest this long after the first pod. */
  BATCH_MAX_DURATION: duration.default(durationMs(10_000)),
  /** A claim that is not launched after this time is deleted, and its pods are planned again. */
  LAUNCH_TIMEOUT: duration.default(durationMs(300_000)),
  /** A machine that has not registered after this time is deleted with its claim, and its pods are planned again. */
  REGISTRATION_TIMEOUT: duration.default(durationMs(900_000)),
  /**
   * A node that has registered and is ready, but lacks a resource that its claim promised or keeps a startup taint, is deleted after this time. The
   * annotation `joiner.dev/initialization-timeout` of a NodePool's template overrides it with a duration or `Never`.
   */
  INITIALIZATION_TIMEOUT: duration.default(durationMs(3_600_000)),
  /**
   * `on`: a machine whose node has a condition of `REPAIR_POLICIES` is replaced, as in Karpenter 1.15: another machine comes first, and budgets hold.
   * `legacy`: it ends at once, as in Karpenter 1.14. If too many nodes are affected at once, they are left to people.
   */
  NODE_REPAIR: z.enum(['on', 'legacy', 'off']).default('on'),
  /**
   * JSON array of repair policies, with the members of Karpenter's RepairPolicy: `conditionType`, `conditionStatus`, `reasonRegex`,
   * `tolerationDuration`, `terminationGracePeriod`, `priority` and `action`. Empty: the policies of docs/operations.md.
   */
  REPAIR_POLICIES: repairPoliciesSetting.optional(),
  /** `on`: no machine is removed because it is empty, drifted or not worth its price. */
  DISRUPTION_FREEZE: z.enum(['on', 'off']).default('off'),
  /**
   * Which nodes go before another one comes in their place, in a NodePool with `spec.replicas` whose `limits.nodes` leaves no room for one node more:
   * unhealthy nodes (`repair`), drifted nodes (`drift`), `both`, or none (`off`). Other such nodes stay.
   */
  TERMINATE_FIRST: z.enum(['off', 'drift', 'repair', 'both']).default('repair'),
  /**
   * The least share of the price of machines with pods that a consolidation must save, from 0 to below 1. NodePools may override it:
   * `joiner.dev/least-saving-share`.
   */
  LEAST_SAVING_SHARE: z.coerce.number().min(0).lt(1).default(0),
  /**
   * The least saving of a consolidation for each pod that it moves, in dollars an hour. NodePools may override it: `joiner.dev/least-saving-per-pod`.
   */
  LEAST_SAVING_PER_POD: z.coerce.number().min(0).lt(1000).default(0),
  /** Younger machines with pods are not consolidated. NodePools may override it: `joiner.dev/least-node-age`. */
  LEAST_NODE_AGE: duration.default(durationMs(0)),
  /**
   * How many consolidation moves of each NodePool may begin within an hour, empty nodes included. 0: any number. NodePools may override it:
   * `joiner.dev/most-moves-an-hour`.
   */
  MOST_MOVES_AN_HOUR: z.coerce.number().int().min(0).max(1000).default(0),
  /**
   * For this long after a move, nodes that got its pods, and nodes with pods of the same workloads, are not consolidated. NodePools may override it
   * for moves of their nodes: `joiner.dev/rest-after-move`.
   */
  REST_AFTER_MOVE: duration.default(durationMs(0)),
  /**
   * How many replacements of the nodes of each NodePool may be there at once beyond the nodes that have gone for them. 0: any number. NodePools may
   * override it: `joiner.dev/most-extra-nodes`.
   */
  MOST_EXTRA_NODES: z.coerce.number().int().min(0).max(1000).default(0),
  /**
   * How many nodes of a cluster have the taint `joiner.dev/disruption-planned` at a time: nodes that go as soon as budgets let them. New pods prefer
   * other nodes meanwhile. 0: none.
   */
  MOST_PLANNED_TAINTS: z.coerce.number().int().min(0).max(1000).default(100),
  /** As in Karpenter: whether `minValues` must be met, or met as far as possible. */
  MIN_VALUES_POLICY: z.enum(['Strict', 'BestEffort']).default('Strict'),
  /** As in Karpenter: whether preferences of pods count. */
  PREFERENCE_POLICY: z.enum(['Respect', 'Ignore']).default('Respect'),
  /** `price`: the cheapest of the considered plans, all of which keep all rules. `firstFit`: Karpenter's order, pod by pod. */
  PLACEMENT: z.enum(['price', 'firstFit']).default('price'),
  /**
   * What one more node costs its owner beside its bill, in dollars an hour: its boot, its agents, its patches. Decides between plans, and no price
   * shows it. 0: of plans with the same bill, the one with fewer nodes.
   */
  NODE_COST: z.coerce.number().min(0).lt(1).default(0.005),
  /** List as JSON or YAML: `defaultConstraints` of the scheduler's PodTopologySpread plugin, if it has any. */
  DEFAULT_SPREAD: defaultSpreadSetting.prefault('[]'),
  /** The scheduler configuration that Karpenter reads, as YAML or JSON. Set either this or `DEFAULT_SPREAD`. */
  SCHEDULER_CONFIG: schedulerConfigSetting.optional(),
  /** How long a dead writer blocks its cluster. 15 to 60 seconds. */
  LEASE_DURATION: duration.default(durationMs(30_000)),
  /** How long a dead process keeps other processes from launching a claim that it created or was launching. No launch attempt takes longer. */
  LAUNCH_LOCK_DURATION: duration.default(FLOW_LIMITS.launchLock),
  /** Machines and network interfaces without a claim are removed when they are older than this. */
  GC_GRACE_DURATION: duration.default(FLOW_LIMITS.gcGrace),
  /** How long pods on a machine without a claim may drain under their budgets. Then the machine is removed. */
  GC_DRAIN_DURATION: duration.default(FLOW_LIMITS.gcDrain),
  /** For debugging: after this many decisions, one is made again from scratch, and the two are compared. 0: none. */
  DECISION_CHECK_EVERY: z.coerce.number().int().min(0).default(0),
  /** Lowest level of log lines that are written. Metrics are always written. */
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  /** The app's timer, which finds all lost work again. Its period bounds the delay that a crash can cause. */
  RESYNC_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.RESYNC_SCHEDULE),
  /** Looks for nodes to disrupt. It also runs between two runs of the timer. */
  DISRUPTION_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.DISRUPTION_SCHEDULE),
  /** Reads the facts of the clusters from Azure. Fetches sizes (12 h), prices (12 h) and quota (10 min) when they are due. */
  CATALOG_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.CATALOG_SCHEDULE),
  /** Removes machines and network interfaces without a claim. In a cluster at rest only every fifth time. */
  GC_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.GC_SCHEDULE),
})

export type Settings = z.output<typeof SETTINGS>
export type Config = { readonly settings: Settings; readonly clusters: readonly ClusterEntry[] }

/** Reads the settings once. Nothing else reads the environment. Every problem names its setting. */
export function readConfig(environment: { readonly [name: string]: string | undefined }): Result<Config, readonly Problem[]> {
  // An empty setting, as in the sample file, counts as not set.
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const injected = injectedSettingProblems(Object.keys(present))
  if (injected.length > 0) return err(injected)
  const parsed = SETTINGS.safeParse(present)
  if (!parsed.success) return err(parsed.error.issues.map(settingProblem))
  const settings = parsed.data
  if (settings.AzureWebJobsStorage === undefined && settings.AzureWebJobsStorage__accountName === undefined) {
    return err([
      problem(
        'SETTING.INVALID',
        'neither AzureWebJobsStorage nor AzureWebJobsStorage__accountName is set; one must name the storage account',
        { path: 'AzureWebJobsStorage__accountName' },
      ),
    ])
  }
  if (armAudience(settings.ARM_ENDPOINT) === undefined) {
    const rule = 'is not the endpoint of a cloud that Joiner knows, so no token would be right for it'
    return err([problem('SETTING.INVALID', `setting ARM_ENDPOINT: ${settings.ARM_ENDPOINT} ${rule}`, { path: 'ARM_ENDPOINT' })])
  }
  const conflicts = settingConflicts(settings)
  if (conflicts.length > 0) return err(conflicts)
  const clusters = parseClusterEntries(settings.JOINER_CLUSTERS)
  if (!clusters.ok) return clusters
  const unheard = settings.ENTRA_AUDIENCE === undefined ? entraProblem(settings, clusters.value) : undefined
  return unheard === undefined ? ok({ settings, clusters: clusters.value }) : err([unheard])
}

/** Returns the problem of missing ENTRA_AUDIENCE: without it, no token of the tenant would be accepted. */
function entraProblem({ SHIM_AUTH }: Settings, clusters: readonly ClusterEntry[]): Problem | undefined {
  const reader = clusters.find(({ allowedReaderIdentities }) => allowedReaderIdentities.length > 0)
  const why =
    SHIM_AUTH === 'entra' ? 'SHIM_AUTH is entra' : reader === undefined ? undefined : `cluster ${reader.id} has allowedReaderIdentities`
  if (why === undefined) return undefined
  const rule = `setting ENTRA_AUDIENCE: must name the audience of the tokens of the tenant, since ${why}`
  return problem('SETTING.INVALID', rule, { path: 'ENTRA_AUDIENCE' })
}

function settingProblem(issue: z.core.$ZodIssue): Problem {
  const setting = issue.path.join('.')
  return problem('SETTING.INVALID', `setting ${setting}: ${issue.message}`, { path: setting })
}
