import { err, ok, type Result } from '../../../base/result.ts'
import type { Problem } from '../../../model/problem.ts'
import { bootProblem } from './bootRules.ts'
import { type BootInput, bootVariables } from './bootVariables.ts'

const WAIT_SECONDS = 1200
const WAIT_FAILED = 100
/**
 * Stands in the image's own script, whatever its age: in its last line `#EOF` until 2025-07-23, and in its here documents ever since.
 * (Azure/AgentBaker, parts/linux/cloud-init/artifacts/cse_main.sh, commit 63b9d9b970.)
 */
const WHOLE = 'EOF'

/**
 * The script a machine runs at its first boot, in base64: it hands our variables to the provisioning scripts that are
 * part of the AKS node image. The same input gives the same bytes. NODECLASS.INVALID where a value could become more than a value.
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

/** In single quotes, so that the shell reads the value as it is. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}
