model FourBar
  inner Modelica.Mechanics.MultiBody.World world(n = {0, 0, -1});
  Modelica.Mechanics.MultiBody.Joints.Revolute q1(n = {0, 1, 0}, phi(start = -1.57, fixed = true));
  Modelica.Mechanics.MultiBody.Joints.Revolute q2(n = {0, 1, 0}, phi(start = 1.23));
  Modelica.Mechanics.MultiBody.Joints.Revolute q3(n = {0, 1, 0}, phi(start = -1.66));
  Modelica.Mechanics.MultiBody.Joints.RevolutePlanarLoopConstraint closure(n = {0, 1, 0});
  Modelica.Mechanics.MultiBody.Parts.FixedTranslation ground(r = {0.3, 0, 0});
  Modelica.Mechanics.MultiBody.Parts.BodyCylinder crank(r = {0.1, 0, 0}, diameter = 0.02, density = 7850);
  Modelica.Mechanics.MultiBody.Parts.BodyCylinder coupler(r = {0.3, 0, 0}, diameter = 0.02, density = 7850);
  Modelica.Mechanics.MultiBody.Parts.BodyCylinder rocker(r = {0.2, 0, 0}, diameter = 0.02, density = 7850);
equation
  connect(world.frame_b, q1.frame_a);
  connect(q1.frame_b, crank.frame_a);
  connect(crank.frame_b, q2.frame_a);
  connect(q2.frame_b, coupler.frame_a);
  connect(coupler.frame_b, closure.frame_a);
  connect(world.frame_b, ground.frame_a);
  connect(ground.frame_b, q3.frame_a);
  connect(q3.frame_b, rocker.frame_a);
  connect(rocker.frame_b, closure.frame_b);
end FourBar;
