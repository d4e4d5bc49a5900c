"""Trajectories by fixed steps against the same steps taken one by one."""
from support import *


def steps_by_hand(model, q, v, tau, step):
    """Semi-implicit Euler; tau holds a row for each step."""
    course = []
    for forces in tau:
        v = v + step * model.forward(q, v, forces)
        q = model.integrate(q, step * v)
        course.append((q, v))
    return course


class Rollouts(TestCase):
    STEPS, STEP, COUNT = 12, 1e-3, 5

    def setUp(self):
        self.model = catena.load("quadruped")
        self.q, self.v = self.model.random_configuration(1, self.COUNT), self.model.random_vector(2, self.COUNT)
        self.tau = np.stack([self.model.random_vector(10 + k, self.COUNT) for k in range(self.STEPS)])

    def test_many_trajectories_are_what_steps_by_hand_give(self):
        end = self.model.rollout(step=self.STEP)(self.q, self.v, self.tau)
        course = self.model.rollout(step=self.STEP)(self.q, self.v, self.tau, every=3)
        self.assertEqual(course.q.shape, (self.STEPS // 3, self.COUNT, self.model.nq))
        for b in range(self.COUNT):
            by_hand = steps_by_hand(self.model, self.q[b], self.v[b], self.tau[:, b], self.STEP)
            self.assertClose(end.q[b], by_hand[-1][0], 1e-9)
            self.assertClose(end.v[b], by_hand[-1][1], 1e-9)
            for k in range(self.STEPS // 3):
                self.assertClose(course.q[k, b], by_hand[3 * k + 2][0], 1e-9)
                self.assertClose(course.v[k, b], by_hand[3 * k + 2][1], 1e-9)

    def test_one_trajectory_is_one_of_many(self):
        many = self.model.rollout()(self.q, self.v, self.tau)
        one = self.model.rollout()(self.q[3], self.v[3], self.tau[:, 3])
        self.assertSameBits(one.q, many.q[3])
        self.assertSameBits(one.v, many.v[3])
        recorded = self.model.rollout()(self.q[3], self.v[3], self.tau[:, 3], every=4)
        self.assertSameBits(recorded.q[-1], many.q[3])

    def test_forces_that_stay_or_are_shared_or_absent(self):
        rollout = self.model.rollout()
        constant = np.tile(self.tau[0], (self.STEPS, 1, 1))
        self.assertSameBits(rollout(self.q, self.v, self.tau[0], steps=self.STEPS).q,
                            rollout(self.q, self.v, constant).q)
        shared = self.tau[:, :1]
        self.assertSameBits(rollout(self.q, self.v, shared).q,
                            rollout(self.q, self.v, np.tile(shared, (1, self.COUNT, 1))).q)
        self.assertSameBits(rollout(self.q, self.v, steps=4).q,
                            rollout(self.q, self.v, np.zeros(self.model.nv), steps=4).q)
        self.assertFalse(np.array_equal(rollout(self.q, self.v, steps=4).q, rollout(self.q, self.v, shared[:4]).q))

    def test_strides_and_threads_do_not_matter(self):
        expected = self.model.rollout()(self.q, self.v, self.tau)
        result = self.model.rollout(threads=2)(np.asfortranarray(self.q), self.v[::-1].copy()[::-1],
                                               np.ascontiguousarray(self.tau.transpose(1, 2, 0)).transpose(2, 0, 1))
        self.assertSameBits(result.q, expected.q)
        self.assertSameBits(result.v, expected.v)

    def test_runge_kutta_is_of_fourth_order(self):
        model, errors = catena.load("stanford_arm"), []  # smooth: no friction
        q, v = model.random_configuration(1, 5), model.random_vector(2, 5)
        exact = model.rollout(method="rk4", step=0.0005)(q, v, steps=320)
        for steps in (4, 8):
            end = model.rollout(method="rk4", step=0.16 / steps)(q, v, steps=steps)
            errors.append(np.abs(end.v - exact.v).max())
        self.assertGreater(errors[0] / errors[1], 13)  # 2^4, nearly
        self.assertLess(errors[0] / errors[1], 20)

    def test_what_is_wrong_is_said(self):
        rollout = self.model.rollout()
        q, v, tau = self.q, self.v, self.tau
        bad = v.copy()
        bad[2, 0] = np.nan
        for words, arguments, named in (
                ("how many steps", (q, v), {}),
                ("tau is given for 12 steps, not 5", (q, v, tau), {"steps": 5}),
                (r"q has the shape \(5, 3\)", (q[:, :3], v), {"steps": 1}),
                (r"v has the shape \(4, \d+\)", (q, v[:4]), {"steps": 1}),
                (r"tau has the shape \(12, 4, \d+\)", (q, v, tau[:, :4]), {}),
                ("steps is negative", (q, v), {"steps": -1}),
                ("every is negative", (q, v), {"steps": 1, "every": -1}),
                ("trajectory 2: v is not a number", (q, bad), {"steps": 1})):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                rollout(*arguments, **named)
        for options, words in (({"method": "magic"}, "'euler' or 'rk4', not 'magic'"), ({"step": 0}, "positive")):
            with self.assertRaisesRegex(ValueError, words):
                self.model.rollout(**options)

    def test_a_trajectory_that_runs_away_is_an_error(self):
        with self.assertRaisesRegex(catena.NumericalError, "trajectory 0 at t = .*smaller"):
            self.model.rollout(step=10.0)(self.q, 1e3 * self.v, steps=1000)


if __name__ == "__main__":
    unittest.main()
