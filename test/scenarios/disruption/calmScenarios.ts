import { durationMs, usdPerHour } from '../../../shared/model/units.ts'
import type { MoveScenarios } from './moveScenario.ts'

const CALM = {
  isFrozen: false,
  leastSavingShare: 0,
  leastSavingPerPod: usdPerHour(0),
  leastNodeAge: durationMs(0),
  mostMovesAnHour: 0,
  restAfterMove: durationMs(0),
  mostExtraNodes: 0,
}
/** A node of $0.80 per hour whose pod would fit on a node of $0.40 per hour. */
const DEAR = { nodes: { n1: {} }, pods: { p: { on: 'n1', asks: { cpu: 0.5, memory: 0.5 } } } } as const

/** The settings for the least value of a move. */
export const CALM_SETTINGS: MoveScenarios = {
  'CALM-01 nothing goes while moves are frozen, empty nodes and drifted ones included': {
    given: { nodes: { n1: {}, n2: {} }, drifted: 'n2', settings: { calm: { ...CALM, isFrozen: true } } },
    want: { deleting: 0, stays: { n1: 'DISRUPTION.FROZEN', n2: 'DISRUPTION.FROZEN' } },
  },
  'CALM-02 a pool freezes its own nodes alone': {
    given: {
      pools: { a: {}, b: {} },
      nodes: { n1: { pool: 'a' }, n2: { pool: 'b' } },
      asks: { a: { 'joiner.dev/freeze-disruption': 'true' } },
    },
    want: { goes: { Empty: 'n2' }, stays: { n1: 'DISRUPTION.FROZEN' } },
  },
  'CALM-03 a pool may go on where the others are frozen': {
    given: {
      nodes: { n1: {} },
      settings: { calm: { ...CALM, isFrozen: true } },
      asks: { default: { 'joiner.dev/freeze-disruption': 'false' } },
    },
    want: { goes: { Empty: 'n1' } },
  },
  'CALM-04 a saving of half the price is enough where half is asked': {
    given: { ...DEAR, settings: { calm: { ...CALM, leastSavingShare: 0.5 } } },
    want: { replaced: { n1: 'small' } },
  },
  'CALM-05 and too little where more is asked, which the reason says in money': {
    given: { ...DEAR, settings: { calm: { ...CALM, leastSavingShare: 0.51 } } },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.CALM' }, says: 'saves $0.40/h (pods moved: 1), and nodepool default asks for $0.408/h' },
  },
  'CALM-06 a saving that is too little for the pods that move is none': {
    given: { ...DEAR, asks: { default: { 'joiner.dev/least-saving-per-pod': '0.41' } } },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.CALM' } },
  },
  'CALM-07 a young node with pods stays': {
    given: { ...DEAR, asks: { default: { 'joiner.dev/least-node-age': '1h' } } },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.CALM' }, says: 'too young' },
  },
  'CALM-08 a young node without pods goes': {
    given: { nodes: { n1: {} }, asks: { default: { 'joiner.dev/least-node-age': '1h' } } },
    want: { goes: { Empty: 'n1' } },
  },
  'CALM-09 where nobody can read what a pool asks, its nodes stay, and those of others go': {
    given: {
      pools: { a: {}, b: {} },
      nodes: { n1: { pool: 'a' }, n2: { pool: 'b' } },
      asks: { a: { 'joiner.dev/least-saving-share': 'half' } },
    },
    want: { goes: { Empty: 'n2' }, stays: { n1: 'DISRUPTION.CALM' }, says: 'metadata.annotations joiner.dev/least-saving-share' },
  },
  'CALM-10 as many nodes go as moves may begin in an hour, empty ones included': {
    given: { nodes: { n1: {}, n2: {}, n3: {} }, settings: { calm: { ...CALM, mostMovesAnHour: 2 } } },
    want: { deleting: 2, says: 'begin 2 times an hour (MOST_MOVES_AN_HOUR)' },
  },
  'CALM-11 a pool that sets no limit has none': {
    given: {
      nodes: { n1: {}, n2: {}, n3: {} },
      settings: { calm: { ...CALM, mostMovesAnHour: 2 } },
      asks: { default: { 'joiner.dev/most-moves-an-hour': '0' } },
    },
    want: { deleting: 3 },
  },
  'CALM-12 drifted nodes go beyond the limit': {
    given: { nodes: { n1: {}, n2: {} }, drifted: 'n1 n2', settings: { calm: { ...CALM, mostMovesAnHour: 1 } } },
    want: { deleting: 2 },
  },
  'CALM-13 what a pool writes about its rest counts before the setting, and nobody can read it': {
    given: {
      nodes: { n1: {} },
      settings: { calm: { ...CALM, restAfterMove: durationMs(60_000) } },
      asks: { default: { 'joiner.dev/rest-after-move': 'long' } },
    },
    want: { deleting: 0, stays: { n1: 'DISRUPTION.CALM' }, says: 'metadata.annotations joiner.dev/rest-after-move' },
  },
  'CALM-14 a node whose replacement is one extra node goes where one is allowed': {
    given: { ...DEAR, settings: { calm: { ...CALM, mostExtraNodes: 1 } } },
    want: { replaced: { n1: 'small' } },
  },
}
