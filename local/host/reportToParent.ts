import { subscribe } from 'node:diagnostics_channel'
import { textAt } from '../azure/json.ts'
import type { InvocationEvent } from './runner.ts'
import type { Host } from './startHost.ts'

/** What a host tells its parent, over IPC. */
export type HostReport = InvocationEvent | CallReport | HeldReport

/** The number of messages that the host has received, and neither removed nor given back. */
export type HeldReport = { readonly kind: 'held'; readonly messages: number }

/** A call of the app that changes something, and whether an invocation was open when it began. */
export type CallReport = { readonly kind: 'call'; readonly what: 'creation' | 'eviction' | 'ledger'; readonly isCovered: boolean }

/** The category of the lines that tell of reports. Their message is a `HarshReport` as JSON. */
export const REPORT_CATEGORY = 'Harsh.Report'

export type HarshReport = HostReport & { readonly at: number; readonly group: string; readonly pid: number }

/** What the parent tells a host. */
export type HostOrder = { readonly kind: 'poll' }

const CALLS: readonly (readonly [CallReport['what'], string, RegExp])[] = [
  ['creation', 'PUT', /\/virtualMachines\/[^/?]+(\?|$)/i],
  ['eviction', 'POST', /\/pods\/[^/?]+\/eviction(\?|$)/],
  ['ledger', 'PUT', /\/clusters(\/|%2F)[^/?]+?(\/|%2F)ledger(\?|$)/i],
]

export function callOf(method: string, path: string): CallReport['what'] | undefined {
  return CALLS.find(([, verb, pattern]) => verb === method && pattern.test(path))?.[0]
}

/** Tells the parent process of invocations and calls. Does nothing without an IPC channel. */
export function reportToParent(): {
  readonly onInvocation: (event: InvocationEvent) => void
  readonly onHeld: (messages: number) => void
  readonly serve: (host: Host) => void
} {
  const tell = (report: HostReport): void => {
    if (process.connected) process.send?.(report)
  }
  return {
    onInvocation: tell,
    onHeld: (messages) => tell({ kind: 'held', messages }),
    serve: (host) => {
      if (process.send === undefined) return
      process.on('message', () => host.poll())
      const seen = (message: unknown): void => {
        const what = callOf(textAt(message, 'request.method') ?? '', textAt(message, 'request.path') ?? '')
        if (what !== undefined) tell({ kind: 'call', what, isCovered: host.inFlight() > 0 })
      }
      for (const channel of ['http.client.request.start', 'undici:request:create']) subscribe(channel, seen)
    },
  }
}
