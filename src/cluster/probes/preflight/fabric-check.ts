import { type Check, ok } from './check.ts';

export const fabricCheck: Check = {
  name: 'fabric address',
  judge({ facts: { addresses }, node, plan }) {
    const wanted = `${node.fabric.address} on ${node.fabric.interface}`;
    const found = addresses.filter((each) => each.address === node.fabric.address);
    if (found.some((each) => each.interface === node.fabric.interface)) return ok(wanted);

    const remedy = `On ${node.name}: ip -4 addr show. Then mend the interface, or fabric in clusters/${plan.cluster}.yaml.`;
    if (found.length > 0) {
      const where = found.map((each) => each.interface).join(', ');
      return {
        state: 'failed',
        short: `${node.name} has another fabric interface`,
        text: `${node.fabric.address} is on ${where}, not on ${node.fabric.interface}`,
        remedy,
      };
    }
    const others = addresses.filter((each) => each.interface === node.fabric.interface).map((each) => each.address);
    const instead = others.length > 0 ? `it has ${others.join(', ')}` : `${node.fabric.interface} has no IPv4 address`;
    return {
      state: 'failed',
      short: `${node.name} lacks its fabric address`,
      text: `not ${wanted}: ${instead}`,
      remedy,
    };
  },
};
