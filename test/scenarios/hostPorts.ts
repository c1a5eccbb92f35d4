import type { Scenarios } from './scenario.ts'

const TWO = { claims: 2 } as const
const ONE = { claims: 1 } as const

/** Host ports that clash, on new machines and on existing ones. */
export const HOST_PORTS: Scenarios = {
  'HP1 the same port': { given: { pods: { p: { ports: '80' }, q: { ports: '80' } } }, want: TWO },
  'HP2 another port': { given: { pods: { p: { ports: '80' }, q: { ports: '81' } } }, want: ONE },
  'HP3 another protocol': { given: { pods: { p: { ports: '80' }, q: { ports: '80/UDP' } } }, want: ONE },
  'HP4 another address': { given: { pods: { p: { ports: '80@10.0.0.1' }, q: { ports: '80@10.0.0.2' } } }, want: ONE },
  'HP5 one address and all': { given: { pods: { p: { ports: '80@10.0.0.1' }, q: { ports: '80' } } }, want: TWO },
  'HP6 one address and all of the newer kind': { given: { pods: { p: { ports: '80@10.0.0.1' }, q: { ports: '80@::' } } }, want: TWO },
  'HP7 a pod that runs has it': {
    given: { nodes: { n1: {} }, pods: { old: { on: 'n1', ports: '80' }, p: { ports: '80' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'HP8 a pod that has ended had it': {
    given: { nodes: { n1: {} }, pods: { old: { on: 'n1', ports: '80', over: { phase: 'Succeeded' } }, p: { ports: '80' } } },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'HP9 a daemon of one architecture has it there': {
    given: { daemons: { agent: { ports: '80', select: 'arch=amd64' } }, pods: { p: { ports: '80' } } },
    want: { claims: [{ types: 'arm' }] },
  },
  'HP10 one of two ports': { given: { pods: { p: { ports: '80 443' }, q: { ports: '443 8080' } } }, want: TWO },
  'HP12 a daemon whose pod has not come yet will have it on a node that is there': {
    given: { nodes: { n1: {} }, daemons: { agent: { ports: '80' } }, pods: { p: { ports: '80' }, q: {} } },
    want: { claims: 0, on: { n1: 'q' }, unplaced: { p: 'SCHEDULING.PORT' } },
  },
  'HP13 a daemon that does not run on the node has it elsewhere': {
    given: { nodes: { n1: {} }, daemons: { agent: { ports: '80', select: 'arch=arm64' } }, pods: { p: { ports: '80' } } },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'HP14 a daemon will have it on a machine that is launched': {
    given: { nodes: { n1: { stage: 'launched' } }, daemons: { agent: { ports: '80' } }, pods: { p: { ports: '80' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.PORT' } },
  },
  'HP11 a daemon will have it on a machine that is not launched yet': {
    given: { pools: { default: { needs: 'type=small' } }, daemons: { agent: { ports: '80' } }, pods: { p: {} } },
    want: { claims: 1 },
    then: [{ stage: 'created', given: { pods: { q: { ports: '80' } } }, want: { claims: 0, unplaced: { q: 'SCHEDULING.PORT' } } }],
  },
}
