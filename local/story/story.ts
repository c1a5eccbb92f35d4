import type { ClusterEvent, Node, Pod } from '../cluster/client/objects.ts'
import type { AppLine } from './appLine.ts'
import type { ClaimObject } from './claimObject.ts'
import { refusalOf } from './refusalOf.ts'
import type { StoryOptions } from './storyOptions.ts'
import { tellClaims } from './tellClaims.ts'
import { tellNodes } from './tellNodes.ts'
import { tellPods } from './tellPods.ts'

/** Tells what happens in the cluster, a line an event: what, why, how much. Fed by watches and by the app's own lines. */
export interface Story {
  pod(now: Pod | undefined, before: Pod | undefined): void
  node(now: Node | undefined, before: Node | undefined): void
  claim(now: ClaimObject | undefined, before: ClaimObject | undefined): void
  /** What Joiner says of a pod it cannot help. */
  event(event: ClusterEvent): void
  app(line: AppLine): void
  /** Tells what has gathered, and now and then how far the things stand that take long. Called several times a second. */
  tick(): void
}

export function createStory(options: StoryOptions): Story {
  const { print } = options
  const pods = tellPods(options)
  const nodes = tellNodes(options)
  const claims = tellClaims(options)
  /** Pods of one kind are refused together; one line stands for them. */
  const refusals = new Set<string>()
  return {
    pod: pods.seen,
    node: nodes.seen,
    claim: claims.seen,
    event(event) {
      const refusal = refusalOf(event)
      if (refusal === undefined || refusals.has(event.message ?? '')) return
      refusals.add(event.message ?? '')
      print(refusal)
    },
    app({ level, message }) {
      if (level === 'info') print(message)
      if (level === 'warn' || level === 'error') print(`${level}: ${message}`)
    },
    tick() {
      refusals.clear()
      pods.tick()
      claims.tick()
    },
  }
}
