/** Handmade placements, each with the one rule that it breaks. */
import { describe, expect, it } from 'vitest'
import { nodePoolName, objectKey } from '../../../shared/model/ids.ts'
import { LABEL, type Labels } from '../../../shared/model/labels.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import type { RequirementSpec } from '../../../shared/model/requirements.ts'
import type { Taint } from '../../../shared/model/taint.ts'
import { instanceType } from '../../builders/instanceType.ts'
import { nodePool } from '../../builders/nodePool.ts'
import { resources } from '../../builders/resources.ts'
import { type SnapshotShape, snapshot } from '../../builders/snapshot.ts'
import { checkPlacement } from '../checkPlacement.ts'
import type { Placement } from '../placement.ts'
import type { Rule } from '../violation.ts'

export type PlacementCase = {
  readonly drafts?: SnapshotShape['drafts']
  readonly pods: readonly Pod[]
  readonly objects?: SnapshotShape['objects']
  readonly types?: SnapshotShape['types']
  readonly settings?: SnapshotShape['settings']
  readonly unavailable?: SnapshotShape['unavailable']
  readonly claims?: readonly NewClaim[]
  /** Names of the pods that the plan refuses. */
  readonly refused?: readonly string[]
  readonly targets?: { readonly [name: string]: readonly string[] }
  readonly breaks?: Rule
}

/** Pods on a new claim of pool `default`, with requirements beside its sizes. */
type NewClaim = {
  readonly pods: readonly string[]
  readonly where?: readonly RequirementSpec[]
  readonly labels?: Labels
  readonly sizes?: readonly string[]
  readonly pool?: string
  readonly taints?: readonly Taint[]
}

const SIZE = 'Standard_D4as_v6'

/** Declares a test for each placement. A placement that breaks no rule shows where the rule of a broken one ends. */
export function describePlacements(what: string, cases: { readonly [sentence: string]: PlacementCase }): void {
  describe(`the checker of ${what}`, () => {
    for (const [sentence, each] of Object.entries(cases)) {
      it(`${each.breaks === undefined ? 'lets pass' : 'sees'} ${sentence}`, () => {
        const given = snapshot({
          objects: { ...each.objects, pod: each.pods },
          types: each.types ?? [instanceType()],
          ...(each.drafts === undefined ? {} : { drafts: each.drafts }),
          ...(each.settings === undefined ? {} : { settings: each.settings }),
          ...(each.unavailable === undefined ? {} : { unavailable: each.unavailable }),
        })
        const found = checkPlacement(given, placementOf(each, given.objects.nodePool[0]?.template.taints ?? []))
        for (const { subject, message } of found) {
          expect(subject).toMatch(/^(?:pod|claim|node|nodepool) \S/)
          // The message is not empty and has no double spaces.
          expect(message).toMatch(/^\S+( \S+)*$/)
        }
        expect([...new Set(found.map(({ rule }) => rule))], JSON.stringify(found)).toEqual(each.breaks === undefined ? [] : [each.breaks])
      })
    }
  })
}

function placementOf({ claims = [], refused = [], targets = {} }: PlacementCase, ofPool: readonly Taint[]): Placement {
  const { template } = nodePool()
  const keys = (names: readonly string[]) => names.map((each) => objectKey('default', each))
  return {
    refused: new Set(keys(refused)),
    targets: new Map(Object.entries(targets).map(([target, names]) => [target, keys(names)])),
    claims: claims.map(({ pods, where = [], labels = {}, sizes = [SIZE], pool = 'default', taints = ofPool }, index) => ({
      name: `new-${index}`,
      pool: nodePoolName(pool),
      pods: keys(pods),
      labels: { [LABEL.nodePool]: pool, ...labels },
      spec: {
        nodeClassRef: template.nodeClassRef,
        requirements: [{ key: LABEL.instanceType, operator: 'In', values: sizes }, ...where],
        requests: resources(1, 1),
        taints,
        startupTaints: [],
        expireAfter: template.expireAfter,
      },
    })),
  }
}
