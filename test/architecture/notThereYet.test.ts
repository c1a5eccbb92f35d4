/** The README lists what Joiner cannot do yet. Each line is tried here. When the feature works, the test fails until its line is removed. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot, walk } from '../../scripts/floors.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import type { Decision } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { durationMs } from '../../shared/model/units.ts'
import { ago, MINUTE } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { disruptionOf } from '../builders/decided.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { type SnapshotShape, snapshot } from '../builders/snapshot.ts'

type Objects = NonNullable<SnapshotShape['objects']>

const DAY = 24 * 60 * MINUTE
const EAGER = nodePool({ disruption: { consolidateAfter: durationMs(0), budgets: [{ nodes: '100%' }] } })
const OLD = { createdAt: ago(DAY) } as const
/** Two machines that are a day old. */
const TWO: Objects = {
  nodePool: [EAGER],
  nodeClaim: [nodeClaim({ meta: OLD }), nodeClaim({ name: 'default-bbbbb', meta: OLD })],
  node: [node({ meta: OLD }), node({ claim: 'default-bbbbb', meta: OLD })],
}

/** The same machines, drifted because their pool has changed. */
const DRIFTED: Objects = {
  ...TWO,
  nodeClaim: (TWO.nodeClaim ?? []).map((claim) => ({
    ...claim,
    status: { ...claim.status, conditions: [...claim.status.conditions, condition('Drifted')] },
  })),
}

const endsNone = (objects: Objects): boolean => !ends(disruptionOf(snapshot({ objects })))
const ends = ({ actions }: Decision): boolean => actions.some(({ kind }) => kind === 'deleteClaim')
const codesOf = (over: Partial<Pod>): readonly string[] =>
  decideProvisioning(snapshot({ objects: { pod: [pod(over)] } })).reasons.map(({ code }) => code)

/** Maps the first words of a README line to a check that is true while the feature is missing. */
const NOT_THERE: { readonly [line: string]: () => boolean } = {
  'Dynamic resource allocation': () => codesOf({ resourceClaims: ['gpu'] }).includes('POD.UNSUPPORTED_RESOURCE_CLAIM'),
  'Scheduling groups (gang scheduling, `spec.schedulingGroup`)': () =>
    codesOf({ schedulingGroup: 'gang' }).includes('POD.UNSUPPORTED_SCHEDULING_GROUP'),
  'Node affinity with `matchFields`': () => {
    const byName = { matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] } as const
    return codesOf({ requiredNodeTerms: [byName] }).includes('POD.UNSUPPORTED_MATCH_FIELDS')
  },
  Replay: () => !/\b(settings|unavailable|instanceTypes)\b/.test(read('shared/model/ledger.ts').replaceAll(/\/\*\*.*\*\//g, '')),
}

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
const [, section = ''] = /## What is not there yet\n([\s\S]*?)(?=\n## |\nApache)/.exec(read('README.md')) ?? []
const lines = [...section.matchAll(/^- ([^:]+): /gm)].map(([, name = '']) => name)

describe('what README says is not there yet', () => {
  it('has a proof for each line, and a line for each proof', () => expect(lines).toEqual(Object.keys(NOT_THERE)))

  it.each(Object.entries(NOT_THERE))('%s', (_, isNotThere) => expect(isNotThere()).toBe(true))

  it('is tried in worlds where an empty node and a drifted node are taken away', () => {
    expect(endsNone({ ...TWO, pod: [] })).toBe(false)
    expect(endsNone({ ...DRIFTED, nodePool: [nodePool({ disruption: { consolidateAfter: 'Never' } })] })).toBe(false)
  })
})

/** The ADR that decides against replay. */
const NO_REPLAY = 'docs/adr/0008-records-for-people.md'
/** A line that links to the ADR, or that is about the replay of tokens. */
const SAYS_NOT = /0008-records|^\*\*Proof of possession\*\* .*: stops the replay of a token/
const CLAIM = /\breplay/i
/** Calls and effects are repeated as well, so on pages "repeat" counts only beside "decision" or "plan". */
const CLAIM_ON_A_PAGE = /\breplay|\b(decisions?|plans?)\b.*\brepeat|\brepeat.*\b(decisions?|plans?)\b/i

describe('a decision of the past', () => {
  it('is said to be made again nowhere but where it is said that it is not', () => {
    const pages = walk(repositoryRoot, (name) => /\.(ts|md)$/.test(name)).filter(
      (path) => /^(shared|functions|shim|docs|README)/.test(path) && path !== NO_REPLAY,
    )
    const claims = pages.flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => (path.endsWith('.md') ? CLAIM_ON_A_PAGE : CLAIM).test(line) && !SAYS_NOT.test(line))
        .map((line) => `${path}: ${line}`),
    )
    expect(pages.length).toBeGreaterThan(100)
    expect(pages).toContain('docs/adr/0002-pure-engine.md')
    expect(claims).toEqual([])
  })
})
