import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { hasKubectl, withKubectl } from './testing/kubectl.ts'
import { deployment, pod, widgetDefinition } from './testing/samples.ts'

const here = hasKubectl()
const CHARTS = 'charts/joiner-crd/templates'
const NOT_CHECKED =
  '* <nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
const READY = { type: 'Ready', status: 'True', reason: 'KubeletReady' }
const ok = (out: string) => ({ code: 0, out, err: '' })

describe('kubectl (skipped where it is not installed)', () => {
  it.skipIf(!here)('applies, applies again, changes, scales and deletes', async () => {
    await withKubectl(async ({ run, call }) => {
      expect(await run('apply -f -', deployment('web', 2))).toEqual(ok('deployment.apps/web created\n'))
      expect(await run('apply -f -', deployment('web', 2))).toEqual(ok('deployment.apps/web unchanged\n'))
      expect(await run('apply -f -', deployment('web', 3))).toEqual(ok('deployment.apps/web configured\n'))
      expect(await run('scale deployment web --replicas 5')).toEqual(ok('deployment.apps/web scaled\n'))
      expect(await run('set image deployment/web main=nginx:2')).toEqual(ok('deployment.apps/web image updated\n'))
      expect((await call('GET', '/apis/apps/v1/namespaces/default/deployments/web')).body).toMatchObject({
        spec: { replicas: 5, template: { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } } },
        metadata: { generation: 4 },
      })
      const patch = '{"spec":{"template":{"spec":{"tolerations":[{"key":"a","operator":"Exists"}]}}}}'
      expect(await run(`patch deployment web -p '${patch}'`)).toEqual(ok('deployment.apps/web patched\n'))
      expect(await run('delete deployment web')).toEqual(ok('deployment.apps "web" deleted\n'))
    })
  })

  it.skipIf(!here)('prints what it prints on a cluster', async () => {
    await withKubectl(async ({ run }) => {
      await run('apply -f -', deployment('web', 2))
      await run('apply -f -', pod('a'))
      expect((await run('get deployments')).out).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/2 +0 +0 +\d+s\n$/)
      expect((await run('get pods -o wide')).out).toMatch(
        /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES\na +0\/1 +Pending +0 /,
      )
      expect((await run('get ns')).out).toContain('kube-system       Active')
      expect((await run('get pod,deploy -o name')).out).toBe('pod/a\ndeployment.apps/web\n')
      expect((await run("get pod a -o jsonpath='{.spec.restartPolicy}'")).out).toContain('Always')
      expect((await run('get pods -n nowhere')).err).toBe('No resources found in nowhere namespace.\n')
      expect((await run('get pod nope')).err).toBe('Error from server (NotFound): pods "nope" not found\n')
      expect((await run('describe pod a')).out).toContain('node.kubernetes.io/not-ready:NoExecute op=Exists for 300s')
      expect(await run('auth can-i list pods')).toEqual(ok('yes\n'))
      expect((await run('auth can-i --list')).out).toMatch(/\n\*\.\* +\[\] +\[\] +\[\*\]\n/)
      expect((await run('auth whoami')).out).toContain('joiner-admin')
    })
  })

  it.skipIf(!here)('labels, annotates, taints, cordons and drains a node', async () => {
    await withKubectl(async ({ run, call, server }) => {
      await run('apply -f -', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
      expect(await run('label node n1 pool=a')).toEqual(ok('node/n1 labeled\n'))
      expect(await run('annotate node n1 note=b')).toEqual(ok('node/n1 annotated\n'))
      expect(await run('taint node n1 team=x:NoSchedule')).toEqual(ok('node/n1 tainted\n'))
      expect(await run('taint node n1 node.kubernetes.io/not-ready:NoSchedule-')).toEqual(ok('node/n1 untainted\n'))
      await call('PATCH', '/api/v1/nodes/n1/status', { status: { conditions: [READY], nodeInfo: { kubeletVersion: 'v1.34.2' } } })
      await call('POST', '/api/v1/namespaces/default/pods', pod('a', { nodeName: 'n1', terminationGracePeriodSeconds: 0 }))
      expect(await run('cordon n1')).toEqual(ok('node/n1 cordoned\n'))
      expect((await run('get nodes')).out).toMatch(/\nn1 +Ready,SchedulingDisabled +<none> +\d+s +v1\.34\.2\n$/)
      expect(await run('uncordon n1')).toEqual(ok('node/n1 uncordoned\n'))
      const drained = await run('drain n1 --force --timeout=20s')
      expect(drained.out).toContain('evicting pod default/a\n')
      expect(drained.out).toContain('node/n1 drained\n')
      expect(server.store.count('pods')).toBe(0)
      expect(server.store.get('nodes', '', 'n1')).toMatchObject({
        metadata: { labels: { pool: 'a' }, annotations: { note: 'b' } },
        spec: { unschedulable: true, taints: [{ key: 'team', value: 'x', effect: 'NoSchedule' }] },
      })
    })
  })

  it.skipIf(!here)('waits for a condition and follows a rollout', async () => {
    await withKubectl(async ({ run, call }) => {
      await run('apply -f -', deployment('web', 1))
      const status = {
        observedGeneration: 1,
        replicas: 1,
        updatedReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        conditions: [{ type: 'Available', status: 'True' }],
      }
      const waiting = run('wait deployment/web --for=condition=Available --timeout=20s')
      await call('PATCH', '/apis/apps/v1/namespaces/default/deployments/web/status', { status })
      expect(await waiting).toEqual(ok('deployment.apps/web condition met\n'))
      expect(await run('rollout status deployment/web --timeout=20s')).toEqual(ok('deployment "web" successfully rolled out\n'))
    })
  })

  it.skipIf(!here)('applies on the side of the server, and names who else owns a field', async () => {
    await withKubectl(async ({ run }) => {
      expect((await run('apply --server-side -f -', deployment('web', 2))).out).toBe('deployment.apps/web serverside-applied\n')
      expect((await run('scale deployment web --replicas 5')).code).toBe(0)
      const refused = await run('apply --server-side -f -', deployment('web', 2))
      expect(refused.err).toContain('Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas')
      expect((await run('apply --server-side --force-conflicts -f -', deployment('web', 2))).code).toBe(0)
      expect((await run('get deploy web -o jsonpath={.spec.replicas}')).out).toBe('2')
    })
  })

  it.skipIf(!here)('finds no difference to what was written, whoever wrote it', async () => {
    await withKubectl(async ({ run }) => {
      await run(`apply -f ${CHARTS}`)
      for (const verb of ['create', 'apply', 'apply --server-side']) {
        expect((await run(`${verb} -f examples/quickstart`)).code).toBe(0)
        expect(await run('diff -f examples/quickstart')).toEqual(ok(''))
        expect((await run('delete -f examples/quickstart')).code).toBe(0)
      }
      await run('apply --server-side -f examples/quickstart')
      expect(await run('diff --server-side -f examples/quickstart')).toEqual(ok(''))
    })
  })

  it.skipIf(!here)('shows the Events of a node', async () => {
    await withKubectl(async ({ run, call }) => {
      await run('apply -f -', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
      const uid = (await run('get node n1 -o jsonpath={.metadata.uid}')).out
      const involvedObject = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid }
      const event = { involvedObject, reason: 'Registered', message: 'node n1 joined', type: 'Normal', source: { component: 'joiner' } }
      await call('POST', '/api/v1/namespaces/default/events', { metadata: { name: 'e', namespace: 'default' }, ...event })
      expect((await run('describe node n1')).out).toMatch(/Events:[^]* Registered .* joiner +node n1 joined\n/)
    })
  })

  it.skipIf(!here)('stops at the structure of a broken manifest', async () => {
    await withKubectl(async ({ run }) => {
      await run(`apply -f ${CHARTS}`)
      const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }
      // The second requirement breaks a validation rule. Rules are not checked while the first has an unsupported value.
      const requirements = [
        { key: 'kubernetes.io/arch', operator: 'Inn', values: ['amd64'] },
        { key: 'kubernetes.io/os', operator: 'In', values: [] },
      ]
      const spec = { disruption: { consolidateAfter: '1m' }, template: { spec: { nodeClassRef, requirements } } }
      const broken = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'bad' }, spec }
      expect((await run('apply -f -', broken)).err.split('\n').filter((line) => line.startsWith('*'))).toEqual([
        expect.stringContaining('* spec.template.spec.requirements[0].operator: Unsupported value: "Inn": supported values: '),
        NOT_CHECKED,
      ])
    })
  })

  it.skipIf(!here)('explains the fields of built-in kinds and of custom resources', async () => {
    await withKubectl(async ({ run }) => {
      await run('create -f -', widgetDefinition)
      expect((await run('explain pod.spec.containers')).out).toMatch(/\n  imagePullPolicy\t<string>\n/)
      expect((await run('explain node.spec.taints')).out).toMatch(/FIELD: taints <\[\]Taint>/)
      expect((await run('explain deployment.spec')).out).toMatch(/\n  template\t<PodTemplateSpec>\n/)
      expect((await run('explain widget.spec')).out).toMatch(/\n  size\t<integer> -required-\n/)
      expect((await run('explain pod.spec.nope')).err).toBe('error: field "nope" does not exist\n')
    })
  })

  it.skipIf(!here)('creates from flags', async () => {
    await withKubectl(async ({ run }) => {
      expect(await run('create deployment inflate --image=registry.k8s.io/pause:3.9 --replicas=2')).toEqual(
        ok('deployment.apps/inflate created\n'),
      )
      expect((await run('create configmap a --from-literal=b=c')).out).toBe('configmap/a created\n')
      expect((await run('create secret generic s --from-literal=b=c')).out).toBe('secret/s created\n')
      expect((await run('create namespace team')).out).toBe('namespace/team created\n')
      expect((await run('get deploy inflate -o jsonpath={.spec.replicas}/{.spec.template.spec.containers[0].image}')).out).toBe(
        '2/registry.k8s.io/pause:3.9',
      )
      expect((await run('get secret s -o jsonpath={.data.b}')).out).toBe('Yw==')
    })
  })

  it.skipIf(!here)('names the field and the rule of a broken custom resource', async () => {
    await withKubectl(async ({ run }) => {
      await run('create -f -', widgetDefinition)
      const broken = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 0, color: 'green' } }
      expect((await run('apply -f -', broken)).err).toBe(
        'The Widget "w" is invalid: \n' +
          '* spec.color: Unsupported value: "green": supported values: "red", "blue"\n' +
          '* spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1\n' +
          `${NOT_CHECKED}\n`,
      )
      const typo = { ...broken, spec: { size: 1, colour: 'red' } }
      expect((await run('apply -f -', typo)).err).toContain('strict decoding error: unknown field "spec.colour"')
      expect((await run('apply -f -', { ...broken, spec: { size: 1 } })).out).toBe('widget.example.com/w created\n')
      expect((await run('get wd')).out).toBe('NAME   SIZE\nw      1\n')
      expect((await run('apply -f -', { ...broken, spec: { size: 2 } })).out).toBe('widget.example.com/w configured\n')
    })
  })

  it.skipIf(!here)('refuses a manifest of v1beta1 in its own words, and takes what joiner convert prints', async () => {
    await withKubectl(async ({ run }) => {
      await run(`apply -f ${CHARTS}`)
      const nodeClass = { apiVersion: 'karpenter.azure.com/v1alpha2', kind: 'AKSNodeClass', metadata: { name: 'default' }, spec: {} }
      const spec = { nodeClassRef: { name: 'default' }, requirements: [], kubelet: { maxPods: 50 } }
      const pool = { apiVersion: 'karpenter.sh/v1beta1', kind: 'NodePool', metadata: { name: 'default' }, spec: { template: { spec } } }
      const old = { apiVersion: 'v1', kind: 'List', items: [pool, nodeClass] }
      expect((await run('apply -f -', pool)).err).toContain('no matches for kind "NodePool" in version "karpenter.sh/v1beta1"')
      const printed = execFileSync(process.execPath, ['cli/main.ts', 'convert', '-f', '-'], {
        input: JSON.stringify(old),
        encoding: 'utf8',
      })
      const converted: unknown = JSON.parse(JSON.stringify(parse(printed)))
      expect(await run('apply -f -', converted)).toMatchObject({ code: 0 })
      expect((await run('get nodepools,aksnodeclasses,nodeclaims -o yaml')).out).toMatch(/maxPods: 50[\s\S]*|group: karpenter\.azure\.com/)
      expect((await run('get aksnodeclasses -o custom-columns=NAME:.metadata.name,VERSION:.status.kubernetesVersion')).out).toMatch(
        /NAME +VERSION\ndefault +<none>/,
      )
      const drift = `get nodeclaims -o custom-columns=NAME:.metadata.name,DRIFT:'.status.conditions[?(@.type=="Drifted")].reason'`
      expect(await run(drift.replaceAll("'", ''))).toMatchObject({ code: 0 })
    })
  })

  it.skipIf(!here || !existsSync(CHARTS))('applies the chart of CRDs (skipped where kubectl or the chart is absent)', async () => {
    await withKubectl(async ({ run }) => {
      const applied = await run(`apply --server-side=false -f ${CHARTS}`)
      expect(applied.err).toBe('')
      expect(applied.out.trim().split('\n')).toHaveLength(readdirSync(CHARTS).length)
      expect((await run('get nodepools,nodeclaims,aksnodeclasses')).err).toBe('No resources found\n')
      const again = await run(`apply --server-side -f ${CHARTS}`)
      expect(again).toMatchObject({ code: 0, err: '' })
    })
  })
})
