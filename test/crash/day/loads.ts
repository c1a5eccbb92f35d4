/** The workloads of a cluster over a day. */
import type { Load } from './workload.ts'

/** Three such pods fill a machine. */
export const POD = { cpus: 1.2, memoryGib: 2 } as const
export const PODS_ON_A_NODE = 3
export const KEPT = 0.8
export const ZONES = ['eastus-1', 'eastus-2', 'eastus-3'] as const
const HOURS_OF_A_DAY = 24
/** The share of the noon load that runs at night. */
const NIGHT = 0.25
/** The length of a release. In each minute, a part of the new pods is added and as many old pods are removed. */
export const ROLL_MINUTES = 5
const JOB_EVERY_MINUTES = 5

export type Loads = {
  /** The loads in a minute of the day. Returns the same list while nothing changes. */
  at(minute: number): readonly Load[]
  /** Minutes since users last changed anything but jobs. */
  sinceChange(minute: number): number
}

/** Reports whether the hour is calm. In two of every eight hours users change nothing, while jobs continue. */
export function isCalm(hour: number): boolean {
  return hour % 8 >= 6
}

/** Half of the pods stay in their zone, a quarter is released anew each hour, and a quarter follows the time of day. */
export function createLoads(nodes: number): Loads {
  const pods = nodes * PODS_ON_A_NODE
  let known: { readonly minute: number; readonly loads: readonly Load[] } | undefined
  return {
    at(minute) {
      if (known?.minute !== minute) known = { minute, loads: loadsAt(pods, minute) }
      return known.loads
    },
    sinceChange: (minute) => minute - Math.min(minute, 60 * lastBusy(minute) + ROLL_MINUTES),
  }
}

function loadsAt(pods: number, minute: number): readonly Load[] {
  const hour = lastBusy(minute)
  const rolled = Math.min(1, (minute - 60 * hour) / ROLL_MINUTES)
  const quarter = Math.round(pods / 4)
  const sun = NIGHT + (1 - NIGHT) * (0.5 - 0.5 * Math.cos((2 * Math.PI * hour) / HOURS_OF_A_DAY))
  const renewed = Math.round(rolled * quarter)
  return [
    ...ZONES.map((zone) => ({ ...POD, name: `base-${zone}`, replicas: Math.round(pods / 6), zone, kept: KEPT })),
    { ...POD, name: `release-${hour}`, replicas: renewed, kept: KEPT },
    { ...POD, name: `release-${hour - 1}`, replicas: quarter - renewed, kept: KEPT },
    { ...POD, name: 'wave', replicas: Math.round(sun * quarter), kept: KEPT },
    { name: `job-${minute}`, cpus: 0.5, memoryGib: 1, replicas: minute % JOB_EVERY_MINUTES === 0 ? 2 : 0 },
  ].filter(({ replicas }) => replicas > 0)
}

/** The last hour in which users changed something. */
function lastBusy(minute: number): number {
  let hour = Math.floor(minute / 60)
  while (isCalm(hour)) hour--
  return hour
}
