/** What a cluster is asked to run in the course of a day. */
import type { Load } from './workload.ts'

/** Three pods fill a machine. */
const POD = { cpus: 1.2, memoryGib: 2 } as const
const PODS_ON_A_NODE = 3
const KEPT = 0.8
const ZONES = ['eastus-1', 'eastus-2', 'eastus-3'] as const
const HOURS_OF_A_DAY = 24
/** At night, of what there is at noon. */
const NIGHT = 0.25
/** A release takes so many minutes: in each, a part of the new pods comes and as many old ones go. */
const ROLL_MINUTES = 5
const JOB_EVERY_MINUTES = 5

export type Loads = {
  /** In a minute of the day. The same list for as long as nothing changes. */
  at(minute: number): readonly Load[]
  /** Minutes since users changed anything but jobs. */
  sinceChange(minute: number): number
}

/** Two hours of eight, in which users change nothing, but the jobs go on. */
export function isCalm(hour: number): boolean {
  return hour % 8 >= 6
}

/** Half of the pods stay where their zone is, a quarter is released anew each hour, and a quarter comes and goes with the sun. */
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

/** The hour in which users changed something the last time. */
function lastBusy(minute: number): number {
  let hour = Math.floor(minute / 60)
  while (isCalm(hour)) hour--
  return hour
}
