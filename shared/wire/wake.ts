import type { Result } from '../base/result.ts'
import type { ClusterId } from '../model/ids.ts'
import type { Problem } from '../model/problem.ts'
import { type Codec, decode, record } from './codec.ts'
import { clusterIdText } from './objects/shared.ts'
import { checkVersion } from './version.ts'

const VERSION = 1

/** Message of the `wake` queue: a process has ended and left work of the cluster. It may be lost, doubled or late. */
export type Wake = { readonly cluster: ClusterId }

const wake: Codec<Wake> = record<Wake>({ cluster: clusterIdText })

export function parseWake(json: unknown): Result<Wake, Problem> {
  const object = 'wake message'
  const versioned = checkVersion(json, { object, known: VERSION, newer: 'INPUT.UNSUPPORTED_VERSION' })
  return versioned.ok ? decode(wake, versioned.value, { object }) : versioned
}

export function printWake(message: Wake): string {
  return JSON.stringify({ v: VERSION, ...(wake.write(message) as object) })
}
