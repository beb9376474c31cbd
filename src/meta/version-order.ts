// The order of API versions: v2 before v1, those before v1beta2, v1beta1 and v1alpha1, and all of them before other names.

const versionForm = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages = ['alpha', 'beta', undefined];

/** Negative where `a` comes first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [versionForm.exec(a), versionForm.exec(b)];
  if (left === null || right === null) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return (
    stages.indexOf(right[2]) - stages.indexOf(left[2]) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  );
}
