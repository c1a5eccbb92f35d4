import { describe, expect, it } from 'vitest'
import { hasKubectl, kubectlOn } from '../../local/kubernetes/testing/kubectl.ts'
import type { Environment } from './environment.ts'
import { onEachCluster } from './onCluster.ts'
import { until } from './until.ts'

const here = hasKubectl()

onEachCluster('kubectl', scenarios)

function scenarios(environment: () => Environment): void {
  describe(`kubectl${here ? '' : ' (skipped where it is not installed)'}`, () => {
    it.skipIf(!here)('waits for pool, class and claim, and tells of them', async () => {
      const run = kubectlOn(environment().stack.kubeconfigFile, environment().directory)
      await environment().scale('app', 1)
      await until(async () => ((await run('get nodeclaims -o name')).out === '' ? 'there is no claim' : undefined))
      for (const kind of ['nodepool', 'aksnodeclass', 'nodeclaim']) {
        const waited = await run(`wait --for=condition=Ready ${kind} --all --timeout=120s`)
        expect(waited, `${kind}: ${waited.err}`).toMatchObject({ code: 0, out: expect.stringMatching(/condition met\n$/) })
      }
      await environment().settle(1)
      // A decision counts the nodes of the pool, a moment after the node is ready.
      const counted = /nodepool\.karpenter\.sh\/\S+ +default +1 +True/
      let all = ''
      await until(async () => {
        all = (await run('get karpenter')).out
        return counted.test(all) ? undefined : 'the pool does not count its node'
      })
      expect(all).toMatch(/NAME +TYPE +CAPACITY +ZONE +NODE +READY +AGE\n/)
      const { out: described } = await run('describe nodeclaims')
      expect(described).toMatch(/Type: +Ready\n/)
      expect(described).toMatch(/Events:\n +Type +Reason/)
    })
  })
}
