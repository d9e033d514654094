model DoublePendulum
  inner Modelica.Mechanics.MultiBody.World world(n = {0, 0, -1});
  Modelica.Mechanics.MultiBody.Joints.Revolute q1(n = {0, 1, 0}, phi(start = 0.9, fixed = true));
  Modelica.Mechanics.MultiBody.Joints.Revolute q2(n = {0, 1, 0}, phi(start = 0.5, fixed = true));
  Modelica.Mechanics.MultiBody.Parts.BodyCylinder upper(r = {0, 0, -1}, diameter = 0.04, density = 7850);
  Modelica.Mechanics.MultiBody.Parts.BodyCylinder lower(r = {0, 0, -1}, diameter = 0.04, density = 7850);
equation
  connect(world.frame_b, q1.frame_a);
  connect(q1.frame_b, upper.frame_a);
  connect(upper.frame_b, q2.frame_a);
  connect(q2.frame_b, lower.frame_a);
end DoublePendulum;
