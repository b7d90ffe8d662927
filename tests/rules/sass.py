"""sass.py -- machine code of sm_90: instructions, branches, and the loops of a kernel.

An instruction has 16 bytes. The reader knows the few that change the flow; nvdisasm shows the same branches.
- The lowest 12 bits are the operation; bits 12 to 15 its predicate, and bits 87 to 90 a second one of branches; 7
  always holds.
- A branch goes to the instruction after it plus four times a number, whose lower 8 bits are bits 16 to 23 and whose
  others are bits 34 to 81.
- Code that lets lanes wait for one another where they may have parted lies after a kernel's end and begins with
  WARPSYNC. Warps whose lanes go together do not come there, and it is left out.
"""
import struct

SIZE, ALWAYS = 16, 7
BRANCH, EXIT, RETURN, WARPSYNC = 0x947, 0x94D, 0x950, 0x348
FLOAT = {kind << 8 | operation for kind in (2, 4, 8, 10, 12) for operation in (0x20, 0x21, 0x23)}  # FMUL, FADD, FFMA


class Loop:
    """A loop: its instructions, those of loops inside too, and these loops in their order."""

    def __init__(self, head, body):
        self.head, self.body, self.inside = head, body, []

    def own(self):
        """How many instructions are in no loop inside."""
        return len(self.body - set().union(*(loop.body for loop in self.inside)))


class Kernel:
    """The code of a kernel: `operation` of each instruction, and `outer`, the outermost loops."""

    def __init__(self, code):
        words = [struct.unpack_from("<QQ", code, at) for at in range(0, len(code), SIZE)]
        self.operation = [low & 0xFFF for low, _ in words]
        self.next = [self._next(i, *word) for i, word in enumerate(words)]
        self.reached = self._reach()
        self.outer = self._nest(self._loops())

    def _next(self, i, low, high):
        if low & 0xFFF == BRANCH:
            most = low >> 34 | (high & 0x3FFFF) << 30
            target = i + 1 + ((most - (most >> 47 << 48)) << 8 | low >> 16 & 0xFF) * 4 // SIZE
            goes_on = low >> 12 & 0xF != ALWAYS or high >> 23 & 0xF != ALWAYS
            parts = self.operation[target] == WARPSYNC
            return [i + 1] if parts else [target] + [i + 1] * goes_on
        ends = low & 0xFFF in (EXIT, RETURN) and low >> 12 & 0xF == ALWAYS
        return [] if ends else [i + 1]

    def _reach(self):
        """The instructions that are reached, each after one that comes before it unless a loop leads back."""
        order, seen, stack = [], {0}, [(0, iter(self.next[0]))]
        while stack:
            i, rest = stack[-1]
            follower = next((k for k in rest if k not in seen and k < len(self.next)), None)
            if follower is None:
                order.append(i)
                stack.pop()
            else:
                seen.add(follower)
                stack.append((follower, iter(self.next[follower])))
        return order[::-1]

    def _dominators(self):
        """The immediate dominator of each instruction (Cooper, Harvey and Kennedy 2001)."""
        place = {i: k for k, i in enumerate(self.reached)}
        before = {i: [] for i in self.reached}
        for i in self.reached:
            for k in self.next[i]:
                before.setdefault(k, []).append(i)
        over, changed = {self.reached[0]: self.reached[0]}, True
        while changed:
            changed = False
            for i in self.reached[1:]:
                known = [k for k in before[i] if k in over]
                new = known[0]
                for other in known[1:]:
                    while new != other:
                        while place[new] > place[other]:
                            new = over[new]
                        while place[other] > place[new]:
                            other = over[other]
                if over.get(i) != new:
                    over[i], changed = new, True
        return over, before

    def _loops(self):
        """Every natural loop: what leads to a branch back without leaving the instruction that it goes to."""
        over, before = self._dominators()
        bodies = {}
        for i in self.reached:
            for head in self.next[i]:
                at = i
                while at != head and at != over[at]:
                    at = over[at]
                if at != head:
                    continue
                body, todo = bodies.setdefault(head, {head}), [i]
                while todo:
                    k = todo.pop()
                    if k not in body:
                        body.add(k)
                        todo += before[k]
        return [Loop(head, body) for head, body in sorted(bodies.items())]

    @staticmethod
    def _nest(loops):
        outer = []
        for loop in loops:
            around = [o for o in loops if o is not loop and loop.head in o.body and len(o.body) > len(loop.body)]
            (min(around, key=lambda o: len(o.body)).inside if around else outer).append(loop)
        return outer

    def count(self, loop, operations):
        """How many instructions of a loop, those inside too, are among these operations."""
        return sum(self.operation[i] in operations for i in loop.body)
