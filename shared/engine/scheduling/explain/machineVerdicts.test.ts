import { describe, expect, it } from 'vitest'
import { explained, type Row, STORAGE } from '../../../../test/scenarios/explained.ts'
import { LABEL } from '../../../model/labels.ts'

describe('nodes that are there', () => {
  const table: { readonly [sentence: string]: Row } = {
    'have taints': { given: { nodes: { n1: { taints: 'a' } }, pods: { p: {} } }, want: { kind: 'taints', taints: ['a:NoSchedule'] } },
    'have other labels': {
      given: { nodes: { n1: {} }, pods: { p: { select: 'zone=z2' } } },
      want: { kind: 'labels', whose: 'pods', labels: [LABEL.zone], message: `asked ${LABEL.zone} In [z2], it has ${LABEL.zone}=z1` },
    },
    'lack a label that pods are counted by': {
      given: { nodes: { n1: { bare: 'zone' } }, pods: { p: { spread: 'zone' } } },
      want: { kind: 'labels', labels: [LABEL.zone] },
    },
    'have too little room': {
      given: { nodes: { n1: { room: { cpu: 1 } } }, pods: { p: { asks: { cpu: 1.5 } } } },
      want: { kind: 'amount', resource: 'cpu', asked: 1500, had: 1000, shortBy: 500 },
    },
    'can attach too few disks': {
      given: { ...STORAGE.twoDisks, nodes: { n1: { attach: { 'disk.csi.azure.com': 1 } } }, pods: { p: { mounts: 'one two' } } },
      want: { kind: 'disks', asked: 2, had: 1, shortBy: 1 },
    },
    'have the port taken': {
      given: { nodes: { n1: {} }, pods: { old: { on: 'n1', ports: '80' }, p: { ports: '80' } } },
      want: { kind: 'ports', ports: [80], takenBy: 'pods' },
    },
    'have one of two ports taken': {
      given: { nodes: { n1: {} }, pods: { old: { on: 'n1', ports: '80' }, p: { ports: '80 81' } } },
      want: { kind: 'ports', ports: [80], takenBy: 'pods' },
    },
    'will have a daemon that takes the port': {
      given: {
        nodes: { n1: { labels: 'type=small zone=z1', stage: 'registered' } },
        daemons: { d: { select: 'type=small', ports: '80' } },
        pods: { p: { ports: '80' } },
      },
      want: { kind: 'ports', ports: [80], takenBy: 'daemons' },
    },
    'have neighbours that it keeps away from': {
      given: { nodes: { n1: {} }, pods: { db: { on: 'n1' }, p: { apart: 'app=db over hostname' } } },
      want: { kind: 'neighbours', rule: 'antiAffinity', label: LABEL.hostname },
    },
  }
  for (const [sentence, row] of Object.entries(table)) {
    it(sentence, () => expect(explained(row)).toMatchObject({ kind: 'onNewClaim', machines: [{ machines: 1, verdict: row.want }] }))
  }

  it('are told together where they refuse alike, with the one that comes closest', () => {
    const nodes = { a: { room: { cpu: 1 } }, b: { room: { cpu: 2 } }, c: { taints: 'x' } }
    const found = explained({ given: { nodes, pods: { p: { asks: { cpu: 3 } } } }, want: {} })
    expect(found).toMatchObject({
      machines: [
        { machines: 2, closest: expect.stringContaining('b'), verdict: { kind: 'amount', shortBy: 1000 } },
        { machines: 1, closest: expect.stringContaining('c'), verdict: { kind: 'taints' } },
      ],
    })
  })
})
