import type { ClusterEvent, Node, Pod } from '../cluster/client/objects.ts'
import type { AppLine } from './appLine.ts'
import type { ClaimObject } from './claimObject.ts'
import type { DemoOptions } from './demoOptions.ts'
import { printClaims } from './printClaims.ts'
import { printNodes } from './printNodes.ts'
import { printPods } from './printPods.ts'
import { refusalOf } from './refusalOf.ts'

/** Prints what happens in the cluster, one line for each event: what, why, how much. Fed by watches and by the app's own lines. */
export interface Demo {
  pod(now: Pod | undefined, before: Pod | undefined): void
  node(now: Node | undefined, before: Node | undefined): void
  claim(now: ClaimObject | undefined, before: ClaimObject | undefined): void
  /** An event of Joiner about a pod that it cannot help. */
  event(event: ClusterEvent): void
  app(line: AppLine): void
  /** Prints what has gathered, and sometimes the progress of what takes long. Called several times a second. */
  tick(): void
}

/** How long the same refusal is not printed again. */
const SAME_REFUSAL_MS = 30_000
const OTHERS = / \(and \d+ more pods? like it\)/

export function createDemo(options: DemoOptions): Demo {
  const { print } = options
  const pods = printPods(options)
  const nodes = printNodes(options)
  const claims = printClaims(options)
  /** Refusals by reason, with their times. Pods of one kind are refused for one reason, and one line stands for all of them. */
  const refusals = new Map<string, number>()
  return {
    pod: pods.seen,
    node: nodes.seen,
    claim: claims.seen,
    event(event) {
      const refusal = refusalOf(event)
      if (refusal === undefined) return
      const reason = (event.message ?? '').replace(OTHERS, '')
      const isKnown = options.now() - (refusals.get(reason) ?? Number.NEGATIVE_INFINITY) < SAME_REFUSAL_MS
      if (isKnown) return
      refusals.set(reason, options.now())
      print(refusal)
    },
    app({ level, message }) {
      if (level === 'info') print(message)
      if (level === 'warn' || level === 'error') print(`${level}: ${message}`)
    },
    tick() {
      pods.tick()
      claims.tick()
    },
  }
}
