import { ASSUMED } from './assumed.ts'
import { type ClusterActivity, type DayRuns, EMPTY_POSTS_A_DAY } from './dayRuns.ts'
import type { PriceName } from './prices.ts'

export type Installation = {
  readonly size: 'small' | 'fast'
  readonly network: 'public' | 'vnet' | 'private'
  readonly instanceMemoryMB: number
  readonly clusters: number
  readonly alerts: boolean
  /** The runs of the timer that follow from the schedules. */
  readonly dayRuns: { readonly [Each in ClusterActivity]: DayRuns }
}

/** The events in one cluster. All zero for an idle cluster. */
export type Volumes = {
  /** Machines that are added and removed again. */
  readonly claimsADay: number
  /** Posts of the shim, without those about machines that are added or removed. */
  readonly postsADay: number
  /** Hours of a day in which a machine is being added or removed. */
  readonly busyHoursADay: number
  readonly telemetryMbADay: number
}

/** A monthly quantity, and the settings that it depends on. */
export type Use = { readonly price: PriceName; readonly what: string; readonly quantity: number; readonly drivenBy: string }

const HOURS = 730
const DAYS = HOURS / 24

/** Executions a month, over all clusters. A decision and a step of a NodeClaim count as one each, although they run within other executions. */
export type Executions = {
  readonly [Name in 'timer' | 'gc' | 'decisions' | 'events' | 'emptyPosts' | 'steps' | 'interruption' | 'wake']: number
}

export function executionsOf({ clusters, dayRuns }: Installation, volumes: Volumes): Executions {
  const { claimsADay, busyHoursADay, postsADay } = volumes
  const busy = busyHoursADay / 24
  const { timer, gc, decisions } = dayRuns[claimsADay > 0 ? 'quiet' : 'empty']
  const ownDecisions = decisions * (1 - busy) + (busy > 0 ? dayRuns.busy.decisions * busy : 0)
  const { perClaim } = ASSUMED
  const inAll = (aDay: number): number => aDay * DAYS * clusters
  return {
    timer: timer * DAYS,
    gc: inAll(gc),
    decisions: inAll(ownDecisions + claimsADay * perClaim.decisions + postsADay),
    events: inAll(claimsADay * perClaim.posts + postsADay),
    // While a machine comes or goes, the posts that the app asks for are counted as decisions.
    emptyPosts: inAll(EMPTY_POSTS_A_DAY * (1 - busy)),
    steps: inAll(claimsADay * perClaim.steps),
    interruption: inAll(claimsADay * perClaim.events),
    wake: inAll(claimsADay * perClaim.wakes),
  }
}

/** Returns everything that is billed, as quantities a month. */
export function usageOf(installation: Installation, volumes: Volumes): readonly Use[] {
  const executions = executionsOf(installation, volumes)
  return [
    ...computing(installation, executions),
    ...storage(installation, executions),
    ...monitoring(installation, volumes, executions),
    ...network(installation, executions),
    { price: 'eventGridOperations', what: 'events about machines', quantity: executions.interruption * 2, drivenBy: 'machines a day' },
  ]
}

/** Always-ready instances do the work of their functions. All other work is on demand. */
function computing({ size, instanceMemoryMB }: Installation, executions: Executions): readonly Use[] {
  const gb = instanceMemoryMB / 1_024
  const { seconds, leastSeconds } = ASSUMED
  const billed = (each: number): number => Math.max(each, leastSeconds)
  const warm = {
    executions: executions.decisions + executions.steps + executions.events + executions.emptyPosts + executions.interruption,
    seconds:
      executions.decisions * billed(seconds.decision) +
      executions.steps * billed(seconds.step) +
      (executions.events + executions.emptyPosts) * billed(seconds.post) +
      executions.interruption * billed(seconds.event),
  }
  const cold = {
    executions: executions.timer + executions.wake,
    // Garbage collection runs within a run of the timer and extends it.
    seconds:
      executions.timer * billed(seconds.timer) +
      executions.gc * Math.max(0, seconds.gc - billed(seconds.timer)) +
      executions.wake * billed(seconds.step),
  }
  const onDemand = size === 'fast' ? cold : { executions: warm.executions + cold.executions, seconds: warm.seconds + cold.seconds }
  const uses: Use[] = [
    { price: 'onDemandGbSeconds', what: 'work', quantity: onDemand.seconds * gb, drivenBy: 'RESYNC_SCHEDULE, instanceMemoryMB' },
    { price: 'onDemandExecutions', what: 'executions', quantity: onDemand.executions, drivenBy: 'RESYNC_SCHEDULE' },
  ]
  if (size === 'small') return uses
  const baseline = 2 * gb * HOURS * 3_600
  return [
    ...uses,
    { price: 'alwaysReadyBaseline', what: 'two instances that wait', quantity: baseline, drivenBy: 'size, instanceMemoryMB' },
    { price: 'alwaysReadyGbSeconds', what: 'work of those', quantity: warm.seconds * gb, drivenBy: 'changes in the cluster' },
    { price: 'alwaysReadyExecutions', what: 'executions of those', quantity: warm.executions, drivenBy: 'changes in the cluster' },
  ]
}

function storage({ size, network: mode, clusters }: Installation, executions: Executions): readonly Use[] {
  const { reads, writes, aliveSeconds, pollSeconds, queues, platformPollSeconds, countSeconds, storedGb } = ASSUMED
  const month = HOURS * 3_600
  const awake = (runs: number): number => Math.min(month, runs * aliveSeconds)
  const delivery = mode === 'private' ? 'queue' : 'function'
  const polled = (size === 'fast' ? month : awake(executions.decisions)) + awake(executions.wake)
  const messages = (executions.wake + (delivery === 'queue' ? executions.interruption : 0)) * 3
  return [
    {
      price: 'queueOperations',
      what: 'looks at queues',
      quantity: polled / pollSeconds[delivery],
      drivenBy: 'size, maxPollingInterval of host.json',
    },
    {
      price: 'queueOperations',
      what: 'looks at queues by the platform',
      quantity: (queues[delivery] * month) / platformPollSeconds,
      drivenBy: 'nothing',
    },
    { price: 'queueOperations', what: 'counts of messages', quantity: (queues[delivery] * month) / countSeconds, drivenBy: 'nothing' },
    { price: 'queueOperations', what: 'messages', quantity: messages, drivenBy: 'machines a day' },
    {
      price: 'blobReads',
      what: 'reads',
      quantity:
        executions.timer * reads.timer * clusters +
        executions.decisions * reads.decision +
        executions.events * reads.post +
        executions.emptyPosts * (reads.post + reads.timer) +
        executions.steps * reads.step,
      drivenBy: 'RESYNC_SCHEDULE, clusters',
    },
    {
      price: 'blobWrites',
      what: 'writes and lists',
      quantity: executions.gc * writes.gc + executions.decisions * writes.decision + executions.events * writes.post,
      drivenBy: 'GC_SCHEDULE, clusters',
    },
    { price: 'storedGb', what: 'what is kept', quantity: storedGb, drivenBy: 'size of the clusters' },
  ]
}

/** Hours in which instances run, over all instances. An instance that is always ready runs all month. */
function instanceHours({ size }: Installation, executions: Executions): number {
  const { aliveSeconds } = ASSUMED
  const awake = (runs: number): number => Math.min(HOURS, (runs * aliveSeconds) / 3_600)
  const warm =
    size === 'fast'
      ? 2 * HOURS
      : awake(executions.events + executions.emptyPosts) + awake(executions.decisions + executions.steps) + awake(executions.interruption)
  return warm + awake(executions.timer) + awake(executions.wake)
}

function monitoring(installation: Installation, { telemetryMbADay }: Volumes, executions: Executions): readonly Use[] {
  const { alerts, clusters } = installation
  const { logAlerts, metricAlertSeries, hostKb } = ASSUMED
  const runs = Object.values(executions).reduce((sum, each) => sum + each, 0)
  const logs: Use = {
    price: 'logGb',
    what: 'logs',
    quantity: (telemetryMbADay * DAYS * clusters) / 1_000,
    drivenBy: 'machines a day, LOG_LEVEL',
  }
  const host: Use = {
    price: 'logGb',
    what: 'logs of the Functions host',
    quantity: (instanceHours(installation, executions) * 60 * hostKb.aMinute.ApplicationInsights + runs * hostKb.aRun) / 1_000_000,
    drivenBy: 'size, telemetryMode of host.json',
  }
  if (!alerts) return [logs, host]
  return [
    logs,
    host,
    { price: 'logAlertEvery15Minutes', what: 'log alerts, every 15 minutes', quantity: logAlerts.every15Minutes, drivenBy: 'alerts' },
    { price: 'logAlertEvery5Minutes', what: 'heartbeat alert, every 5 minutes', quantity: logAlerts.every5Minutes, drivenBy: 'alerts' },
    { price: 'metricAlertSeries', what: 'metric alerts', quantity: metricAlertSeries, drivenBy: 'alerts' },
  ]
}

function network({ network: mode, clusters }: Installation, executions: Executions): readonly Use[] {
  if (mode === 'public') return []
  const { gb, privateEndpoints } = ASSUMED
  const out = executions.timer * gb.timer * clusters + executions.decisions * gb.decision + executions.steps * gb.step
  const gateway: readonly Use[] = [
    { price: 'natGatewayHours', what: 'NAT gateway', quantity: HOURS, drivenBy: 'network' },
    { price: 'natGatewayGb', what: 'traffic through it', quantity: out, drivenBy: 'network' },
    { price: 'publicAddressHours', what: 'fixed address', quantity: HOURS, drivenBy: 'network' },
  ]
  if (mode === 'vnet') return gateway
  return [
    ...gateway,
    { price: 'privateEndpointHours', what: 'private endpoints', quantity: privateEndpoints * HOURS, drivenBy: 'network' },
    { price: 'privateEndpointGb', what: 'traffic through them', quantity: out, drivenBy: 'network' },
    { price: 'privateDnsZones', what: 'private DNS zones', quantity: privateEndpoints, drivenBy: 'network' },
  ]
}
