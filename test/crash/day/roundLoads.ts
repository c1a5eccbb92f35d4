import { KEPT, POD, PODS_ON_A_NODE, ROLL_MINUTES, ZONES } from './loads.ts'
import type { Load } from './workload.ts'

/** The replicas rise from the first minute on, and fall from the second. */
const WAVE = { up: 15, down: 35, minutes: 5, low: 0.4 } as const
const JOB_EVERY_MINUTES = 5
/** One job pod for so many nodes. */
const NODES_OF_A_JOB = 25

/** The loads of a minute. Returns the same list while nothing changes. */
export type RoundLoads = ((minute: number) => readonly Load[]) & {
  /** Reports whether users begin to change something in this minute. */
  readonly changesAt: (minute: number) => boolean
}

/** Half of the pods stay in their zone, a quarter is released anew each hour, and a quarter follows a wave of replicas. */
export function roundsAt(nodes: number): RoundLoads {
  const pods = nodes * PODS_ON_A_NODE
  let known: { readonly minute: number; readonly loads: readonly Load[] } | undefined
  const at = (minute: number): readonly Load[] => {
    if (known?.minute !== minute) known = { minute, loads: loadsOf(pods, Math.max(1, Math.round(nodes / NODES_OF_A_JOB)), minute) }
    return known.loads
  }
  return Object.assign(at, { changesAt: (minute: number) => [0, WAVE.up, WAVE.down].includes(minute % 60) })
}

function loadsOf(pods: number, jobs: number, minute: number): readonly Load[] {
  const hour = Math.floor(minute / 60)
  const quarter = Math.round(pods / 4)
  const renewed = Math.round(Math.min(1, (minute % 60) / ROLL_MINUTES) * quarter)
  return [
    ...ZONES.map((zone) => ({ ...POD, name: `base-${zone}`, replicas: Math.round(pods / 6), zone, kept: KEPT })),
    { ...POD, name: `release-${hour}`, replicas: renewed, kept: KEPT },
    { ...POD, name: `release-${hour - 1}`, replicas: quarter - renewed, kept: KEPT },
    { ...POD, name: 'wave', replicas: Math.round(heightAt(minute % 60) * quarter), kept: KEPT },
    { name: `job-${minute}`, cpus: 0.5, memoryGib: 1, replicas: minute % JOB_EVERY_MINUTES === 0 ? jobs : 0 },
  ].filter(({ replicas }) => replicas > 0)
}

/** The share of the wave's pods that run in a minute of an hour. */
function heightAt(minute: number): number {
  const risen = Math.min(1, Math.max(0, (minute - WAVE.up) / WAVE.minutes))
  const fallen = Math.min(1, Math.max(0, (minute - WAVE.down) / WAVE.minutes))
  return WAVE.low + (1 - WAVE.low) * (risen - fallen)
}
