import { err, ok, type Result } from '../../../base/result.ts'
import type { Problem } from '../../../model/problem.ts'
import { bootProblem } from './bootRules.ts'
import { type BootInput, bootVariables } from './bootVariables.ts'

const WAIT_SECONDS = 1200
const WAIT_FAILED = 100
/**
 * Text that the provisioning script of every image version contains: in its last line `#EOF` until 2025-07-23, and in its here documents since then.
 * (Azure/AgentBaker, parts/linux/cloud-init/artifacts/cse_main.sh, commit 63b9d9b970.)
 */
const WHOLE = 'EOF'

/**
 * The script that a machine runs at its first boot, in base64. It passes our variables to the provisioning scripts of the AKS node image. The same
 * input gives the same bytes. Returns NODECLASS.INVALID if the shell, systemd or the kubelet could read a value as more than a value.
 */
export function customData(input: BootInput): Result<string, Problem> {
  const script = bootScript(input)
  return script.ok ? ok(Buffer.from(script.value, 'utf8').toString('base64')) : script
}

export function bootScript(input: BootInput): Result<string, Problem> {
  const variables = bootVariables(input)
  const broken = bootProblem(input, variables)
  return broken === undefined ? ok(scriptOf(variables)) : err(broken)
}

function scriptOf(variables: ReturnType<typeof bootVariables>): string {
  return `#!/bin/bash
set -o allexport
echo '#EOF' >> /opt/azure/manifest.json
mkdir -p /var/log/azure/Microsoft.Azure.Extensions.CustomScript/events
echo "$(date) node boot on $(hostname)"

waited=0
until grep -Fq '${WHOLE}' /opt/azure/containers/provision.sh 2>/dev/null; do
  if [ "$waited" -ge ${WAIT_SECONDS} ]; then
    echo "/opt/azure/containers/provision.sh was not complete after ${WAIT_SECONDS} seconds"
    exit ${WAIT_FAILED}
  fi
  sleep 1
  waited=$((waited + 1))
done

${variables.map(([name, value]) => `${name}=${quoted(value)}`).join('\n')}

/usr/bin/nohup /bin/bash -c "/bin/bash /opt/azure/containers/provision_start.sh"
`
}

/** The value in single quotes, so that the shell does not interpret it. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}
